import { setMaxListeners } from 'node:events';
import type pg from 'pg';
import type { Logger } from 'pino';
import { giveBackLeases, type Taken, takeLeases } from './lease-rows.ts';
import { createShare, type Share, type ShareOptions } from './share.ts';

export interface LeaseOptions {
  readonly logger: Logger;
  /** How long a lease lasts without renewal, in milliseconds. After a holder's death others wait this long. */
  readonly ttlMs?: number;
  readonly renewMs?: number;
}

/** Holds leases for one holder. One statement renews its leases and tries to take the leases that it waits for. */
export interface LeaseHolder {
  /**
   * Waits for the lease `name`, then runs `work` while holding it. The work's signal aborts when the lease is lost or the
   * caller's signal aborts. At the end the lease is given back at once. Leases expire by the database's clock, so the clocks of
   * the holders need not agree.
   *
   * A lease only avoids double work. A holder that was paused for longer than the lease lasts continues for a moment at
   * the same time as its successor. So the work must protect its own writes (by a compare-and-set).
   * @param onWait is called if another holder has the lease
   * @returns the work's result, or undefined if the signal aborted first
   */
  hold<T>(
    name: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
    onWait?: () => void,
  ): Promise<T | undefined>;
  /**
   * Takes part in the share `name`, whose parts are divided among all who take part (share-plan.ts), each part a lease.
   * Runs `work` on the parts that this holder has. The work's signal aborts when the holder must give parts back, has
   * lost parts or got more. Then `work` runs again on the parts that it holds by then.
   * @returns the result of the work if it ended by itself; undefined if the signal aborted first
   */
  share<T>(
    name: string,
    options: ShareOptions,
    signal: AbortSignal,
    work: (parts: ReadonlySet<number>, signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined>;
}

/** Holds one lease: see {@link LeaseHolder.hold}. */
export function holdLease<T>(
  pool: pg.Pool,
  name: string,
  holder: string,
  { signal, ...options }: LeaseOptions & { readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  return createLeaseHolder(pool, holder, options).hold(name, signal, work);
}

interface HeldLease {
  readonly name: string;
  readonly lost: AbortController;
  goodUntil: number;
}

/** A lease that another holder has, and this one waits for. */
interface AwaitedLease {
  readonly name: string;
  /** Called when the holder gets the lease, with the time at which it was requested. */
  taken(requestedAt: number): void;
  failed(error: unknown): void;
}

export function createLeaseHolder(pool: pg.Pool, holder: string, options: LeaseOptions): LeaseHolder {
  return new Leases(pool, holder, options);
}

class Leases implements LeaseHolder {
  private readonly logger: Logger;
  private readonly ttlMs: number;
  private readonly renewMs: number;
  private readonly leases = new Set<HeldLease>();
  private readonly waiting = new Set<AwaitedLease>();
  private readonly shares = new Set<Share>();
  private timer: NodeJS.Timeout | null = null;
  private renewing: Promise<void> | null = null;

  constructor(
    private readonly pool: pg.Pool,
    private readonly holder: string,
    { logger, ttlMs = 3000, renewMs = 1000 }: LeaseOptions,
  ) {
    this.logger = logger;
    this.ttlMs = ttlMs;
    this.renewMs = renewMs;
  }

  async hold<T>(
    name: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
    onWait?: () => void,
  ): Promise<T | undefined> {
    let requestedAt: number | null = performance.now();
    if (!(await this.take([name])).names.has(name)) {
      if (signal.aborted) return undefined;
      onWait?.();
      requestedAt = await this.wait(name, signal);
      if (requestedAt === null) {
        if (this.renewing !== null) await this.leave([name]);
        return undefined;
      }
    }
    const held = { name, lost: new AbortController(), goodUntil: requestedAt + this.ttlMs };
    this.leases.add(held);
    this.renewLater();
    try {
      return await work(AbortSignal.any([signal, held.lost.signal]));
    } finally {
      this.leases.delete(held);
      this.stopIfIdle();
      await this.leave([name]);
    }
  }

  async share<T>(
    name: string,
    options: ShareOptions,
    signal: AbortSignal,
    work: (parts: ReadonlySet<number>, signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const share = createShare(name, this.holder, options);
    try {
      await this.renewShares([share], []);
      this.shares.add(share);
      this.renewLater();
      while (!signal.aborted) {
        const turn = await share.next(signal);
        if (turn === null) break;
        const result = await work(turn.parts, turn.signal);
        if (!turn.signal.aborted) return result;
        await this.leave(share.end());
      }
      return undefined;
    } finally {
      const left = share.leases();
      this.shares.delete(share);
      this.stopIfIdle();
      await this.leave(left);
    }
  }

  private async renew(): Promise<void> {
    const requestedAt = performance.now();
    const held = [...this.leases].filter(({ lost }) => !lost.signal.aborted);
    const wanted = [...this.waiting];
    const shared = [...this.shares];
    try {
      const names = new Set([...held, ...wanted].map(({ name }) => name));
      const taken = await this.renewShares(shared, [...names]);
      for (const each of held)
        if (taken.has(each.name)) each.goodUntil = requestedAt + this.ttlMs;
        else each.lost.abort();
      for (const each of wanted) if (taken.has(each.name)) each.taken(requestedAt);
    } catch (error) {
      for (const each of wanted) each.failed(error);
      for (const each of shared) if (each.isOver()) this.warnOfLoss(error, each.name, () => each.lose());
      for (const each of held)
        if (performance.now() >= each.goodUntil) this.warnOfLoss(error, each.name, () => each.lost.abort());
    }
  }

  private warnOfLoss(error: unknown, lease: string, lose: () => void): void {
    this.logger.warn({ err: error, lease }, 'failed to renew a lease; it is lost');
    lose();
  }

  /** Renews and takes leases, and divides shares. A second statement takes the leases that the first one found free. */
  private async renewShares(shared: readonly Share[], names: readonly string[]): Promise<ReadonlySet<string>> {
    const requestedAt = performance.now();
    const all = [...names, ...shared.flatMap((share) => share.leases())];
    const { names: taken, others } = await this.take(
      all,
      shared.map(({ name }) => name),
    );
    const free = shared.flatMap((share) => share.plan(taken, others.get(share.name)!, requestedAt + this.ttlMs));
    const more = free.length === 0 ? null : await this.take(free);
    for (const share of shared) share.settle(more?.names ?? new Set());
    return taken;
  }

  private take(names: readonly string[], shares?: readonly string[]): Promise<Taken> {
    return takeLeases(this.pool, names, this.holder, this.ttlMs, shares);
  }

  private renewLater(): void {
    if (this.renewing !== null || this.isIdle()) return;
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.renewing = this.renew().then(() => {
        this.renewing = null;
        this.renewLater();
      });
    }, this.renewMs);
  }

  private stopIfIdle(): void {
    if (this.timer === null || !this.isIdle()) return;
    clearTimeout(this.timer);
    this.timer = null;
  }

  private isIdle(): boolean {
    return this.leases.size + this.waiting.size + this.shares.size === 0;
  }

  /**
   * Waits for a lease that another holder has.
   * @returns when the lease was requested; null: the signal aborted first
   */
  private async wait(name: string, signal: AbortSignal): Promise<number | null> {
    const over = new AbortController();
    let wanted: AwaitedLease | undefined;
    try {
      return await new Promise<number | null>((resolve, reject) => {
        wanted = { name, taken: resolve, failed: reject };
        this.waiting.add(wanted);
        setMaxListeners(0, signal); // all leases of a thread wait on the same one
        signal.addEventListener('abort', () => resolve(null), { once: true, signal: over.signal });
        this.renewLater();
      });
    } finally {
      over.abort();
      this.waiting.delete(wanted!);
      this.stopIfIdle();
    }
  }

  private async leave(names: readonly string[]): Promise<void> {
    await this.renewing; // a renewal under way may take the leases once more
    const used = new Set([...this.leases, ...this.waiting].map(({ name }) => name));
    for (const share of this.shares) for (const name of share.leases()) used.add(name);
    const left = names.filter((name) => !used.has(name));
    if (left.length === 0) return;
    await giveBackLeases(this.pool, left, this.holder).catch((error: unknown) => {
      this.logger.warn({ err: error, leases: left }, 'failed to give back leases; they expire by themselves');
    });
  }
}
