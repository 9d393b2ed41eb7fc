import type { Unsaved } from './draft.ts';

/**
 * Drafts with changes that are not saved, in the browser's storage, by bot and id: they outlive a reload, a crash of the tab,
 * and a session that ended.
 */
const FORM = 1;

/** A draft, and when it was kept, in milliseconds since 1970 UTC. */
export interface Kept extends Unsaved {
  readonly at: number;
}

const keyOf = (place: string): string => `draft ${place}`;

/** Reads the kept draft of a place; null: there is none that this version can read. */
export function readKept(place: string): Kept | null {
  try {
    const found = JSON.parse(window.localStorage.getItem(keyOf(place)) ?? 'null') as (Kept & { form: number }) | null;
    return found?.form === FORM ? found : null;
  } catch {
    // Another version wrote it, or the browser has no storage.
    return null;
  }
}

/** Keeps a draft; null: forgets it. @returns whether the browser has done so */
export function keep(place: string, kept: Kept | null): boolean {
  try {
    if (kept === null) window.localStorage.removeItem(keyOf(place));
    else window.localStorage.setItem(keyOf(place), JSON.stringify({ form: FORM, ...kept }));
    return true;
  } catch {
    return false;
  }
}
