import { inTime } from './in-time.ts';

/** Records started parts and stops them in reverse order. */
export interface Lifecycle {
  /** Records a part that has just been started, and how to stop it. */
  started(name: string, stop: () => Promise<void>): void;
  /**
   * Stops all parts, the last one first, each within its time. Continues after a part that fails to stop. A second call
   * returns the promise of the first.
   * @param onPart called with the name of each part before it is stopped
   * @throws AggregateError
   */
  stop(onPart?: (part: string) => void): Promise<void>;
}

/** Time for all parts together. Supervisors kill a service that takes much longer. */
const STOP_WITHIN_MS = 13_000;
/** Each part gets at least this time, also if earlier parts used up all of it. */
const MIN_PART_MS = 1000;

export function createLifecycle(): Lifecycle {
  const parts: { name: string; stop: () => Promise<void> }[] = [];
  let stopping: Promise<void> | null = null;

  async function stopAll(onPart: (part: string) => void): Promise<void> {
    const errors: Error[] = [];
    const deadline = performance.now() + STOP_WITHIN_MS;
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      onPart(part.name);
      try {
        const leftMs = Math.max(MIN_PART_MS, deadline - performance.now());
        await inTime(part.stop(), leftMs, () => new Error(`not within ${Math.round(leftMs)} ms`));
      } catch (error) {
        errors.push(new Error(`${part.name} did not stop`, { cause: error }));
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, errors.map((error) => error.message).join('; '));
  }

  return {
    started(name, stop) {
      parts.push({ name, stop });
    },
    stop(onPart = () => {}) {
      stopping ??= stopAll(onPart);
      return stopping;
    },
  };
}
