/** A signal that aborts `ms` after another one. */
export function abortedAfter(signal: AbortSignal, ms: number): { readonly signal: AbortSignal; forget(): void } {
  const later = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => later.abort(), ms);
  };
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return {
    signal: later.signal,
    forget() {
      signal.removeEventListener('abort', begin);
      clearTimeout(timer);
    },
  };
}
