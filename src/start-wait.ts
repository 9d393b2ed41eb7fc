import type { Logger } from 'pino';
import { pause } from './pause.ts';

/** What is asked for is there, and not ready yet: the start asks again. */
export class NotYetError extends Error {
  override readonly name = 'NotYetError';
}

/** The start was called off while it waited. */
export class StartStoppedError extends Error {
  override readonly name = 'StartStoppedError';
}

/** A start never dies of slowness: it waits, and says for what. */
export interface StartWait {
  /** What the start waits for now, told to anyone: it names no host. */
  readonly waitsFor: string;
  /**
   * Repeats `attempt` while it fails with NotYetError. Logs `waiting for <what>` after a second and every 10 s.
   * @throws StartStoppedError, and any other error of the attempt
   */
  until<T>(what: string, attempt: () => Promise<T>): Promise<T>;
}

const FIRST_LINE_MS = 1000;
const LINE_EVERY_MS = 10_000;
const AGAIN_MS = 250;

export function createStartWait(logger: Logger, signal: AbortSignal): StartWait {
  let waitsFor = 'the start';
  return {
    get waitsFor() {
      return waitsFor;
    },
    async until(what, attempt) {
      waitsFor = what;
      const since = performance.now();
      let reason: unknown;
      let line: NodeJS.Timeout;
      const tellIn = (ms: number): void => {
        line = setTimeout(() => {
          const waited_s = Math.round((performance.now() - since) / 1000);
          logger.info({ waited_s, ...(reason !== undefined && { err: reason }) }, `waiting for ${what}`);
          tellIn(LINE_EVERY_MS);
        }, ms);
      };
      tellIn(FIRST_LINE_MS);
      try {
        for (;;) {
          if (signal.aborted) throw new StartStoppedError(`stopped while waiting for ${what}`);
          try {
            return await attempt();
          } catch (error) {
            if (!(error instanceof NotYetError)) throw error;
            reason = error.cause ?? error;
          }
          await pause(AGAIN_MS, signal);
        }
      } finally {
        clearTimeout(line!);
      }
    },
  };
}

/** One attempt is all: a command does not wait for what is slow. Its caller is told what the attempt failed with. */
export const NO_WAIT: StartWait = {
  waitsFor: 'nothing',
  async until(_what, attempt) {
    try {
      return await attempt();
    } catch (error) {
      throw error instanceof NotYetError ? (error.cause ?? error) : error;
    }
  },
};
