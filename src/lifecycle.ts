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
          await within(part.stop(), STOP_WITHIN_MS);
        } catch (error) {
          problems.push(new Error(`${part.name} did not stop`, { cause: error }));
        }
      }
      if (problems.length > 0)
        throw new AggregateError(problems, problems.map((problem) => problem.message).join('; '));
    },
  };
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${ms} ms`)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
