import {
  type BotledgerError,
  ConflictError,
  ConnectionError,
  OutcomeUnknownError,
  RateLimitError,
  ServerError,
  UnavailableError,
} from './errors.ts';

/** Waits; rejects with the signal's reason if it is aborted first. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 8000;
/** A longer Retry-After ends a call whose attempts are limited: its caller can wait better. */
const MAX_RETRY_AFTER_MS = 60_000;

/** The text of a 409 that passes; other conflicts stay (decisions.md#idempotency-key). */
const IN_PROGRESS = 'a request with this Idempotency-Key is being worked on';

/** A batch that the service itself cannot take must not hold up a queue: it is repeated for about a minute. */
const MAX_RETRIES_OF_INTERNAL_ERROR = 10;

/**
 * How often a call may be repeated after an error, without doing anything twice.
 * @param harmless whether the service carries the call out once, however often it comes
 * @param maxRetries of the call
 */
export function retriesAfter(error: BotledgerError, harmless: boolean, maxRetries: number): number {
  if ((error.retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS && Number.isFinite(maxRetries)) return 0;
  if (error instanceof RateLimitError || error instanceof UnavailableError) return maxRetries;
  if (error instanceof ConflictError) return error.message === IN_PROGRESS ? maxRetries : 0;
  if (!harmless) return 0;
  if (error instanceof ConnectionError || error instanceof OutcomeUnknownError) return maxRetries;
  return error instanceof ServerError ? retriesAfterAnswer(error, maxRetries) : 0;
}

/** After an answer of something before the service, or one that is not whole, the outcome is open. */
function retriesAfterAnswer({ status, isFromService }: ServerError, maxRetries: number): number {
  if (status === null || (status >= 300 && status < 500 && status !== 408)) return 0;
  if (!isFromService || status === 408) return maxRetries;
  // The service's own 502 says that a report took too long.
  return status === 500 ? Math.min(maxRetries, MAX_RETRIES_OF_INTERNAL_ERROR) : 0;
}

/** How long to wait before the next attempt. @param attempt the number of the last one, from 0 */
export function waitMs(attempt: number, { retryAfterMs }: BotledgerError, random: () => number): number {
  return retryAfterMs ?? Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (0.5 + random() / 2);
}

export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
