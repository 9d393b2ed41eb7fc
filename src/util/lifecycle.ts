import { inTime } from './in-time.ts';

/** Parts that were started, to be stopped in reverse order. */
export interface Lifecycle {
  /** Notes how to stop a part that has just been started. */
  started(name: string, stop: () => Promise<void>): void;
  /**
   * Stops all parts, the last one first, each within its time; continues after one that fails. Asked again, it is the same
   * stop. `tell` gets the name of each part before it is stopped.
   * @throws AggregateError
   */
  stop(tell?: (part: string) => void): Promise<void>;
}

/** All parts together. Supervisors kill a service that takes much longer. */
const STOP_WITHIN_MS = 13_000;
/** No part may keep the others from stopping. */
const LEAST_MS = 1000;

export function createLifecycle(): Lifecycle {
  const parts: { name: string; stop: () => Promise<void> }[] = [];
  let stopping: Promise<void> | null = null;

  async function stopAll(tell: (part: string) => void): Promise<void> {
    const problems: Error[] = [];
    const deadline = performance.now() + STOP_WITHIN_MS;
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      tell(part.name);
      try {
        const left = Math.max(LEAST_MS, deadline - performance.now());
        await inTime(part.stop(), left, () => new Error(`not within ${Math.round(left)} ms`));
      } catch (error) {
        problems.push(new Error(`${part.name} did not stop`, { cause: error }));
      }
    }
    if (problems.length > 0) throw new AggregateError(problems, problems.map((problem) => problem.message).join('; '));
  }

  return {
    started(name, stop) {
      parts.push({ name, stop });
    },
    stop(tell = () => {}) {
      stopping ??= stopAll(tell);
      return stopping;
    },
  };
}
