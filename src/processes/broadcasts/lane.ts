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
  /** When its first rest is over, monotonic ms. */
  readonly opensAt: number;
  /** Nothing begins any more, and nothing is left behind. */
  close(): void;
}

/** A broadcast as the lane sees it. */
export interface Source {
  /** Its own limit. */
  readonly limiter: Limiter;
  /** Units of what it would send next; 0: nothing. */
  units(): number;
  /** Sends it, now. Whatever becomes of it, `over` is called once when it has. */
  begin(taken: Taken, over: () => void): void;
  /** The lane rests: recipients that wait in the outbox go back instead of being called after the rest. */
  rest(): void;
}

/** After a start or a takeover, and of a broadcast that goes on: it may have been sent in the second before. */
export const FIRST_REST_MS = 1000;
/** Timers that are told more fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * There are callbacks in it and no promises, since it is passed by every message.
 * @param mostCalls of this bot: with slow answers, others must find places too
 * @param signal nothing begins once it aborts
 */
export function createLane(slots: Slots, mostCalls: number, elapsed: () => number, signal: AbortSignal): Lane {
  const sources: Source[] = [];
  const limiter = createLimiter(1, elapsed());
  const opensAt = elapsed() + FIRST_REST_MS;
  limiter.restUntil(opensAt);
  let calls = 0;
  let asking = false;
  let alarm: { readonly timer: NodeJS.Timeout; readonly at: number } | null = null;
  /** An album for which the others leave too little room at once; when they have had as much again, they wait for it. */
  let kept: { readonly source: Source; readonly until: number } | null = null;
  let stopped = signal.aborted;
  const stop = (): void => {
    stopped = true;
    clearTimeout(alarm?.timer);
  };
  signal.addEventListener('abort', stop, { once: true });

  /** The next in turn that may send, or how long nobody may; what may happen meanwhile wakes the lane. */
  function next(now: number): Source | number {
    let sooner = Infinity;
    if (calls >= mostCalls) return sooner;
    if (kept !== null && now >= kept.until) {
      const { source } = kept;
      const units = source.units();
      const wait = limiter.wait(units, now);
      if (units > 0 && source.limiter.wait(units, now) <= 0) return wait <= 0 ? source : wait;
      kept = null;
    }
    for (const source of sources) {
      const units = source.units();
      if (units === 0) continue;
      const own = source.limiter.wait(units, now);
      const wait = Math.max(own, limiter.wait(units, now));
      if (wait <= 0) return source;
      if (units > 1 && own <= 0) kept ??= { source, until: now + (units * 1000) / limiter.cap };
      sooner = Math.min(sooner, wait);
    }
    return sooner;
  }

  function wake(): void {
    if (asking || stopped) return;
    const now = elapsed();
    const found = next(now);
    if (typeof found === 'number') setAlarm(now, found);
    else {
      asking = true;
      slots.ask(go);
    }
  }

  function go(): void {
    asking = false;
    const now = elapsed();
    const found = stopped ? Infinity : next(now);
    if (typeof found === 'number') slots.give();
    else begin(found, now);
    wake();
  }

  function begin(source: Source, now: number): void {
    const units = source.units();
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
    if (kept?.source === source) kept = null;
    if (sources.length > 1) sources.push(...sources.splice(0, sources.indexOf(source) + 1));
    calls++;
    source.begin(taken, () => {
      calls--;
      slots.give();
      wake();
    });
  }

  function setAlarm(now: number, ms: number): void {
    const at = now + ms;
    if (ms === Infinity || (alarm !== null && alarm.at <= at)) return;
    clearTimeout(alarm?.timer);
    const timer = setTimeout(
      () => {
        alarm = null;
        wake();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    alarm = { timer, at };
  }

  function setCap(): void {
    limiter.cap = Math.max(1, ...sources.map((source) => source.limiter.cap));
  }

  return {
    opensAt,
    wake,
    add(source) {
      sources.push(source);
      setCap();
      wake();
    },
    remove(source) {
      sources.splice(sources.indexOf(source), 1);
      if (kept?.source === source) kept = null;
      setCap();
      wake();
    },
    rest(ms) {
      limiter.restUntil(elapsed() + ms);
      for (const source of sources) source.rest();
    },
    close() {
      signal.removeEventListener('abort', stop);
      stop();
    },
  };
}
