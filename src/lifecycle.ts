import { inTime } from './in-time.ts';

/** Parts that were started, to be stopped in reverse order. */
export interface Lifecycle {
  /** Notes how to stop a part that has just been started. */
  started(name: string, stop: () => Promise<void>): void;
  /** Stops all parts, the last one first, each within its time; goes on past one that fails. @throws AggregateError */
  stop(): Promise<void>;
}

/** No part may keep the others from stopping. */
const STOP_WITHIN_MS = 15_000;

export function createLifecycle(): Lifecycle {
  const parts: { name: string; stop: () => Promise<void> }[] = [];
  return {
    started(name, stop) {
      parts.push({ name, stop });
    },
    async stop() {
      const problems: Error[] = [];
      for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
        try {
          await inTime(part.stop(), STOP_WITHIN_MS, () => new Error(`not within ${STOP_WITHIN_MS} ms`));
        } catch (error) {
          problems.push(new Error(`${part.name} did not stop`, { cause: error }));
        }
      }
      if (problems.length > 0)
        throw new AggregateError(problems, problems.map((problem) => problem.message).join('; '));
    },
  };
}
