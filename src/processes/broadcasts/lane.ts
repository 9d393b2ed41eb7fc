import { createBell } from './bell.ts';
import { createLimiter, type Limiter, type Taken } from './limiter.ts';
import type { Slots } from './slots.ts';

/** What a bot sends by: its broadcasts in turns, each within its own limit, all together within the largest. */
export interface Lane {
  add(source: Source): void;
  remove(source: Source): void;
  /** Something may be sent that could not be before. */
  wake(): void;
  /** Nothing is sent for so long: the platform said so, or cannot be reached. */
  rest(ms: number): void;
  /** Calls until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** A broadcast as the lane sees it. */
export interface Source {
  /** Its own limit. */
  readonly limiter: Limiter;
  /** Units of what it would send next; 0: nothing. */
  units(): number;
  /** Sends it, now. Whatever becomes of it, `over` is called once when it has. */
  begin(taken: Taken, over: () => void): void;
}

/** After a start or a takeover: somebody else may have sent in the second before. */
const FIRST_REST_MS = 1000;
/** Of one bot: with slow answers, others must find places too. */
const MOST_CALLS = 256;
const LOOK_MS = 1000;

export function createLane(slots: Slots, elapsed: () => number): Lane {
  const sources: Source[] = [];
  const limiter = createLimiter(1, elapsed());
  limiter.restUntil(elapsed() + FIRST_REST_MS);
  let calls = 0;
  const bell = createBell();
  const wake = bell.ring;

  /** The next in turn that may send, or how long nobody may. */
  function next(now: number): Source | number {
    let sooner = LOOK_MS;
    if (calls >= MOST_CALLS) return sooner;
    for (const [index, source] of sources.entries()) {
      const units = source.units();
      if (units === 0) continue;
      const wait = Math.max(source.limiter.wait(units, now), limiter.wait(units, now));
      if (wait > 0) sooner = Math.min(sooner, wait);
      else {
        sources.push(...sources.splice(0, index + 1));
        return source;
      }
    }
    return sooner;
  }

  function begin(source: Source): void {
    const units = source.units();
    if (units === 0) {
      slots.give();
      return;
    }
    const now = elapsed();
    const [ofBot, ofSource] = [limiter.take(units, now), source.limiter.take(units, now)];
    const taken: Taken = {
      written(at) {
        ofBot.written(at);
        ofSource.written(at);
      },
      answered(at) {
        ofBot.answered(at);
        ofSource.answered(at);
      },
    };
    calls++;
    source.begin(taken, () => {
      calls--;
      slots.give();
      wake();
    });
  }

  function setCap(): void {
    limiter.cap = Math.max(1, ...sources.map((source) => source.limiter.cap));
  }

  return {
    wake,
    add(source) {
      sources.push(source);
      setCap();
      wake();
    },
    remove(source) {
      sources.splice(sources.indexOf(source), 1);
      setCap();
    },
    rest(ms) {
      limiter.restUntil(elapsed() + ms);
    },
    async run(signal) {
      signal.addEventListener('abort', wake, { once: true });
      while (!signal.aborted) {
        const found = next(elapsed());
        if (typeof found === 'number') await bell.sleep(found);
        else {
          if (!slots.tryTake()) await slots.take();
          begin(found);
        }
      }
    },
  };
}
