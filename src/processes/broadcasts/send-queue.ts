import type { Connections } from './connections.ts';
import { createLimiter, type Limiter, type Taken } from './limiter.ts';

/** A broadcast in the send queue. */
export interface Source {
  /** Its own limit. */
  readonly limiter: Limiter;
  /** Units of its next call; 0: there is none. */
  units(): number;
  /** Makes its next call, now; calls `permit.over` once when the call is over. */
  begin(permit: Permit): void;
  /** The queue rests: recipients that wait are released instead of being called after the rest. */
  rest(): void;
}

/** Permission to make one call. */
export interface Permit {
  readonly taken: Taken;
  /** The call is over. */
  over(): void;
}

/**
 * The rest after a start, after a takeover, and before a broadcast resumes: another sender may have sent in the second
 * before.
 */
export const FIRST_REST_MS = 1000;
/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A bot's send queue: its broadcasts take turns, each within its own limit, all together within the largest. It uses
 * callbacks and no promises, since every message passes it.
 */
export class SendQueue {
  /** When its first rest is over, monotonic ms. */
  readonly opensAt: number;
  private readonly sources: Source[] = [];
  private readonly limiter: Limiter;
  private calls = 0;
  private isRequesting = false;
  private alarm: { readonly timer: NodeJS.Timeout; readonly at: number } | null = null;
  /**
   * An album for which the other broadcasts leave too little room at once. Once the others have sent as many units as
   * it needs, they wait for it.
   */
  private awaited: { readonly source: Source; readonly until: number } | null = null;
  private stopped: boolean;

  /**
   * @param mostCalls of this bot at once: if answers are slow, other bots must also find connections
   * @param signal no call begins once it aborts
   */
  constructor(
    private readonly connections: Connections,
    private readonly mostCalls: number,
    private readonly elapsed: () => number,
    private readonly signal: AbortSignal,
  ) {
    this.limiter = createLimiter(1, elapsed());
    this.opensAt = elapsed() + FIRST_REST_MS;
    this.limiter.restUntil(this.opensAt);
    this.stopped = signal.aborted;
    signal.addEventListener('abort', this.stop, { once: true });
  }

  add(source: Source): void {
    this.sources.push(source);
    this.setCap();
    this.wake();
  }

  remove(source: Source): void {
    this.sources.splice(this.sources.indexOf(source), 1);
    if (this.awaited?.source === source) this.awaited = null;
    this.setCap();
    this.wake();
  }

  /** A broadcast has new recipients to send to. */
  wake(): void {
    if (this.isRequesting || this.stopped) return;
    const now = this.elapsed();
    const found = this.next(now);
    if (typeof found === 'number') this.setAlarm(now, found);
    else {
      this.isRequesting = true;
      this.connections.request(this.go);
    }
  }

  /** Sends nothing for `ms`: the platform asked for a pause, or cannot be reached. */
  rest(ms: number): void {
    this.limiter.restUntil(this.elapsed() + ms);
    for (const source of this.sources) source.rest();
  }

  /** Begins no more calls, and leaves no timer and no listener behind. */
  close(): void {
    this.signal.removeEventListener('abort', this.stop);
    this.stop();
  }

  private readonly stop = (): void => {
    this.stopped = true;
    clearTimeout(this.alarm?.timer);
  };

  /** The next broadcast that may send, or for how many ms none may. */
  private next(now: number): Source | number {
    const { limiter, awaited } = this;
    let soonest = Infinity;
    if (this.calls >= this.mostCalls) return soonest;
    if (awaited !== null && now >= awaited.until) {
      const { source } = awaited;
      const units = source.units();
      const wait = limiter.wait(units, now);
      if (units > 0 && source.limiter.wait(units, now) <= 0) return wait <= 0 ? source : wait;
      this.awaited = null;
    }
    for (const source of this.sources) {
      const units = source.units();
      if (units === 0) continue;
      const own = source.limiter.wait(units, now);
      const wait = Math.max(own, limiter.wait(units, now));
      if (wait <= 0) return source;
      if (units > 1 && own <= 0) this.awaited ??= { source, until: now + (units * 1000) / limiter.cap };
      soonest = Math.min(soonest, wait);
    }
    return soonest;
  }

  private readonly go = (): void => {
    this.isRequesting = false;
    const now = this.elapsed();
    const found = this.stopped ? Infinity : this.next(now);
    if (typeof found === 'number') this.connections.release();
    else this.begin(found, now);
    this.wake();
  };

  private begin(source: Source, now: number): void {
    const { sources, connections } = this;
    const units = source.units();
    const [ofBot, ofSource] = [this.limiter.take(units, now), source.limiter.take(units, now)];
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
    if (this.awaited?.source === source) this.awaited = null;
    if (sources.length > 1) sources.push(...sources.splice(0, sources.indexOf(source) + 1));
    this.calls++;
    const over = (): void => {
      this.calls--;
      connections.release();
      this.wake();
    };
    source.begin({ taken, over });
  }

  private setAlarm(now: number, ms: number): void {
    const at = now + ms;
    if (ms === Infinity || (this.alarm !== null && this.alarm.at <= at)) return;
    clearTimeout(this.alarm?.timer);
    const fire = (): void => {
      this.alarm = null;
      this.wake();
    };
    this.alarm = { timer: setTimeout(fire, Math.min(ms, MAX_TIMER_MS)), at };
  }

  private setCap(): void {
    this.limiter.cap = Math.max(1, ...this.sources.map((source) => source.limiter.cap));
  }
}
