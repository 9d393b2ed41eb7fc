import type { Batch } from '../../log/port.ts';

/** What one lane has brought while the reader was busy. */
interface Gathered {
  readonly lane: number;
  readonly commits: Batch['commits'][number][];
  last: Batch['last'];
}

/**
 * Reads ahead while its reader is busy, and gives what came meanwhile as one batch a lane: an engine may deliver each
 * append by itself, and a transaction for each would fall behind them.
 * @param subscribe opens the subscription; it ends when the signal aborts
 * @param limit commits that are held before no more are read
 */
export async function* gather(
  subscribe: (signal: AbortSignal) => AsyncIterable<Batch>,
  signal: AbortSignal,
  limit: number,
): AsyncGenerator<Batch> {
  const waiting = new Map<number, Gathered>();
  const left = new AbortController();
  let held = 0;
  let ended = false;
  let arrived = newEvent();
  let taken = newEvent();

  async function readAhead(): Promise<void> {
    try {
      for await (const { lane, commits, last } of subscribe(AbortSignal.any([signal, left.signal]))) {
        const known = waiting.get(lane);
        if (known === undefined) waiting.set(lane, { lane, commits: [...commits], last });
        else {
          known.commits.push(...commits);
          known.last = last;
        }
        held += commits.length;
        arrived.happen();
        while (held >= limit && !left.signal.aborted) {
          await taken.happened;
          taken = newEvent();
        }
      }
    } finally {
      ended = true;
      arrived.happen();
    }
  }

  const reading = readAhead();
  reading.catch(() => {}); // thrown below, when what came before it was given
  try {
    for (;;) {
      const [next] = waiting.values();
      if (next !== undefined) {
        waiting.delete(next.lane);
        held -= next.commits.length;
        taken.happen();
        yield next;
        continue;
      }
      if (ended) break;
      await arrived.happened;
      arrived = newEvent();
    }
    await reading;
  } finally {
    left.abort();
    taken.happen();
  }
}

function newEvent(): { readonly happened: Promise<void>; happen(): void } {
  let happen = (): void => {};
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { happened, happen };
}
