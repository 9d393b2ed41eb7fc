import type { Given } from './fields.tsx';

/**
 * Typed values of forms of settings that are not saved, in the storage of the tab: where they outlive a reload and other pages.
 * A tab without storage keeps them as long as the page is open.
 */
const keyOf = (place: string): string => `settings ${place}`;

export function readTyped(place: string): Given {
  try {
    return (JSON.parse(window.sessionStorage.getItem(keyOf(place)) ?? 'null') as Given | null) ?? {};
  } catch {
    // Another version wrote it, or the browser has no storage.
    return {};
  }
}

/** Keeps what was typed; of nothing it forgets the place. */
export function keepTyped(place: string, typed: Given): void {
  try {
    if (Object.keys(typed).length === 0) window.sessionStorage.removeItem(keyOf(place));
    else window.sessionStorage.setItem(keyOf(place), JSON.stringify(typed));
  } catch {
    // The storage is full, or there is none: the form itself still has it.
  }
}
