import { signal } from '@preact/signals';

/** The page and its state, as the browser's address has them: Back undoes, a link shares, a reload keeps. */
export interface Address {
  /** Path below /console, such as `/reports`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const BASE = '/console';

function current(): Address {
  const { pathname, search } = window.location;
  return { path: pathname.slice(BASE.length).replace(/\/$/, '') || '/', query: new URLSearchParams(search) };
}

export const address = signal<Address>(current());

window.addEventListener('popstate', () => {
  address.value = current();
});

/** The link of a page. Entries without a value are left out. */
export function href(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const params = new URLSearchParams(
    Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  ).toString();
  return `${BASE}${path}${params === '' ? '' : `?${params}`}`;
}

/** Goes to a link of the console. `replace`: Back does not return to the present address. */
export function go(link: string, { replace = false } = {}): void {
  if (link === window.location.pathname + window.location.search) return;
  window.history[replace ? 'replaceState' : 'pushState'](null, '', link);
  address.value = current();
}

/** The link of the present page with other entries of its query, such as the next part of a list. */
export function here(changes: Readonly<Record<string, string | undefined>>): string {
  const { path, query } = address.value;
  return href(path, { ...Object.fromEntries(query), ...changes });
}

/** Follows links inside the console without loading the page again. */
export function followLinks(event: MouseEvent): void {
  const link = (event.target as Element).closest('a');
  if (link === null || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target !== '') return;
  if (link.origin !== window.location.origin || !link.pathname.startsWith(BASE)) return;
  // A place on this page is the browser's to go to.
  if (link.hash !== '' && link.pathname + link.search === window.location.pathname + window.location.search) return;
  event.preventDefault();
  go(link.pathname + link.search);
  document.querySelector('main')?.focus();
}
