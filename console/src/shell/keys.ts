import { signal } from '@preact/signals';
import { address, go, href } from '../address.ts';

/** The layer that a key opened: the search over everything, or the list of keys. */
export const layer = signal<'palette' | 'keys' | null>(null);

const KEPT = 'single-keys';

/** Whether keys without Ctrl or Cmd do something; some tools type for people (WCAG 2.1.4). */
export const singleKeys = signal(window.localStorage.getItem(KEPT) !== 'off');

export function setSingleKeys(on: boolean): void {
  singleKeys.value = on;
  window.localStorage.setItem(KEPT, on ? 'on' : 'off');
}

/** The pages that `g` and a letter open. */
const GO: Readonly<Record<string, string>> = {
  d: '/dashboard',
  l: '/live',
  r: '/reports',
  u: '/users',
  b: '/broadcasts',
  f: '/referrals',
  s: '/settings',
  o: '/operations',
};

/** Two keys of a pair come within this time, in milliseconds. */
const PAIR_MS = 1000;
let began = -Infinity;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, select, textarea, [role="menu"] *'));

/** Handles the keys that every page has. A page marks its own button with `data-key`, such as `n`. */
export function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return;
  if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    layer.value = layer.value === 'palette' ? null : 'palette';
    return;
  }
  if (event.metaKey || event.ctrlKey || !singleKeys.value || isTyping(event.target)) return;
  if (document.querySelector('dialog[open]') !== null) return;
  // Space presses what has the focus.
  if (event.key === ' ' && event.target instanceof HTMLElement && event.target.matches('a, button, summary')) return;
  if (handle(event.key, event.timeStamp)) event.preventDefault();
}

/** @returns whether the key means something here */
function handle(key: string, now: number): boolean {
  const isSecond = now - began < PAIR_MS;
  began = -Infinity;
  const page = isSecond ? GO[key] : undefined;
  if (page !== undefined) {
    go(href(page, { bot: address.value.query.get('bot') ?? undefined }));
    document.querySelector('main')?.focus();
    return true;
  }
  if (key === 'g') {
    began = now;
    return true;
  }
  if (key === '?') {
    layer.value = 'keys';
    return true;
  }
  if (key === '/') return focus(document.querySelector<HTMLElement>('main input[type="search"]'));
  if (key === 'j' || key === 'k') return focusRow(key === 'j' ? 1 : -1);
  if (key === 'x') return press(document.activeElement?.closest('tr')?.querySelector<HTMLElement>('[type="checkbox"]'));
  return press(document.querySelector<HTMLElement>(`main [data-key="${CSS.escape(key)}"]:not(:disabled)`));
}

function press(element: HTMLElement | null | undefined): boolean {
  element?.click();
  return element !== null && element !== undefined;
}

function focus(element: HTMLElement | null | undefined): boolean {
  element?.focus();
  return element !== null && element !== undefined;
}

/** Moves the focus to the first link or button of the next row of the page's tables. */
function focusRow(step: number): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('main tbody tr')].filter((row) =>
    row.querySelector('a, button'),
  );
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step;
  return focus(rows[next]?.querySelector<HTMLElement>('a, button'));
}
