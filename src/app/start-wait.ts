import { once } from 'node:events';
import type { Logger } from 'pino';
import { pause } from '../util/pause.ts';

/** The dependency is reachable but not ready: the start tries again. */
export class NotYetError extends Error {
  override readonly name = 'NotYetError';
}

/** The start was stopped while it waited. */
export class StartStoppedError extends Error {
  override readonly name = 'StartStoppedError';
}

/** Waits for slow dependencies, so that slowness does not end a start, and logs their names. */
export interface StartWait {
  /** The server or task that the start waits for now. It names no host, since `/ready` shows it to every caller. */
  readonly waitsFor: string;
  /**
   * Repeats `attempt` while it fails with NotYetError. Logs `waiting for <what>` after a second and every 10 s.
   * @throws StartStoppedError as soon as `signal` aborts, whatever the attempt does; any other error of the attempt
   */
  until<T>(what: string, attempt: () => Promise<T>): Promise<T>;
  /** Aborts when the start is to stop. */
  readonly signal: AbortSignal;
}

const FIRST_LINE_MS = 1000;
const LINE_EVERY_MS = 10_000;
const RETRY_AFTER_MS = 250;

export function createStartWait(logger: Logger, signal: AbortSignal): StartWait {
  let waitsFor = 'the start';
  return {
    get waitsFor() {
      return waitsFor;
    },
    signal,
    async until(what, attempt) {
      waitsFor = what;
      const since = performance.now();
      let reason: unknown;
      let line: NodeJS.Timeout;
      const logAfter = (ms: number): void => {
        line = setTimeout(() => {
          const waited_s = Math.round((performance.now() - since) / 1000);
          logger.info({ waited_s, ...(reason !== undefined && { err: reason }) }, `waiting for ${what}`);
          logAfter(LINE_EVERY_MS);
        }, ms);
      };
      logAfter(FIRST_LINE_MS);
      try {
        for (;;) {
          if (signal.aborted) throw new StartStoppedError(`stopped while waiting for ${what}`);
          try {
            return await unlessAborted(attempt(), signal);
          } catch (error) {
            if (signal.aborted) continue;
            if (!(error instanceof NotYetError)) throw error;
            reason = error.cause ?? error;
          }
          await pause(RETRY_AFTER_MS, signal);
        }
      } finally {
        clearTimeout(line!);
      }
    },
  };
}

/** Resolves as `work` does, or rejects if the signal aborts first. The result of the work is then ignored. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  try {
    const aborted = once(signal, 'abort', { signal: over.signal }).then(() => Promise.reject(signal.reason));
    return await Promise.race([work, aborted]);
  } finally {
    over.abort();
  }
}

/** Makes one attempt and throws its error. For commands: they do not wait. */
export const NO_WAIT: StartWait = {
  waitsFor: 'nothing',
  signal: new AbortController().signal,
  async until(_what, attempt) {
    try {
      return await attempt();
    } catch (error) {
      throw error instanceof NotYetError ? (error.cause ?? error) : error;
    }
  },
};
