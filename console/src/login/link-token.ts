import { signal } from '@preact/signals';

/** The token of a log-in link, which ends in `#token=…`; null: there is none. The log-in page takes it. */
export const linkToken = signal<string | null>(null);

/** Takes a token out of the address and the history, also where a session is open already. */
function take(): void {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
  if (token === null) return;
  window.history.replaceState(null, '', window.location.pathname + window.location.search);
  linkToken.value = token;
}

take();
window.addEventListener('hashchange', take);
