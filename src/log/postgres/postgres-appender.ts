import type pg from 'pg';
import { growingPause } from '../../util/growing-pause.ts';
import { pause } from '../../util/pause.ts';
import { encodeCommit, headWith } from '../commit-codec.ts';
import { type Appended, LogUnavailableError, type NewCommit, OutcomeUnknownError } from '../port.ts';
import { append, appendNew, fail, type Settle, type Waiting } from './group-statements.ts';

export interface AppenderOptions {
  /** A pool that only the appender uses, so that intake does not wait behind reports. */
  readonly pool: pg.Pool;
  /** The longest wait of an append, in milliseconds. */
  readonly maxWaitMs: number;
  /** The most bytes of text of the appends that wait for a group. Further appends are refused at once. */
  readonly maxQueuedBytes: number;
  /** Called after each transaction, to wake the readers. */
  readonly onAppended: () => void;
  /** Called with the number of commits of each group. */
  readonly onGroup?: ((commits: number) => void) | undefined;
}

const NOTHING: Settle = () => {};
const MAX_GROUP_COMMITS = 500;
const MAX_GROUP_BYTES = 8 << 20;
const SWEEP_MS = 100;
const UNIQUE_VIOLATION = '23505';

/**
 * Group commit: appends that arrive during a transaction share the next one, and each is answered after its commit. One
 * transaction is under way at a time; at 32 clients that is a third of the round trips and one fsync for many appends. The
 * appender sends the next transaction before it answers the callers of the last, so that the database need not wait.
 *
 * It shares no class with the appender of `validated`. This one repeats a group whose outcome is unknown, because commit ids
 * make that safe. That one sends several groups at a time, and puts back only a group that was not sent.
 */
export class Appender {
  readonly #options: AppenderOptions;
  #queue: Waiting[] = [];
  #queuedBytes = 0;
  #inFlight: readonly Waiting[] = [];
  #flushing: Promise<void> | null = null;
  #sweeper: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: AppenderOptions) {
    this.#options = options;
  }

  /** `giveUpAt` is a time of `performance.now()`. */
  append(commit: NewCommit, giveUpAt = Number.POSITIVE_INFINITY): Promise<Appended> {
    const body = encodeCommit(commit);
    if (this.#closed) return Promise.reject(new LogUnavailableError('the log is closed'));
    if (this.#queuedBytes + body.length > this.#options.maxQueuedBytes)
      return Promise.reject(new LogUnavailableError('too many appends are waiting for the log'));
    return new Promise((resolve, reject) => {
      const deadline = Math.min(giveUpAt, performance.now() + this.#options.maxWaitMs);
      this.#queue.push({
        commit,
        body,
        head: headWith(commit, body),
        deadline,
        maybeWritten: false,
        repeated: false,
        settled: false,
        resolve,
        reject,
      });
      this.#queuedBytes += body.length;
      this.#sweeper ??= setInterval(() => this.#rejectOverdue(), SWEEP_MS);
      this.#flushing ??= this.#drain();
    });
  }

  /** Refuses new appends, and waits for the present ones. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#flushing;
  }

  async #drain(): Promise<void> {
    // Waits one tick, so that requests that arrived together share the first group too.
    await tick();
    let settle: Settle = NOTHING;
    while (this.#queue.length > 0) {
      const flushed = this.#flush(this.#takeGroup());
      // The group is sent now. The callers of the one before are answered while the database works.
      await tick();
      settle();
      settle = await flushed;
    }
    settle();
    this.#flushing = null;
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    this.#sweeper = null;
  }

  #takeGroup(): Waiting[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#queue.length && count < MAX_GROUP_COMMITS) {
      bytes += this.#queue[count]!.body.length;
      if (count > 0 && bytes > MAX_GROUP_BYTES) {
        bytes -= this.#queue[count]!.body.length;
        break;
      }
      count++;
    }
    this.#queuedBytes -= bytes;
    this.#options.onGroup?.(count);
    return this.#queue.splice(0, count);
  }

  /** Sends the statement, and repeats it with the same commit ids, until the database answers or no caller waits any more. */
  async #flush(group: readonly Waiting[]): Promise<Settle> {
    this.#inFlight = group;
    /** Whether nothing is to be decided about the commits, and the log is not known to have one of them. */
    let areNew = group.every(({ commit }) => commit.expected === 'any' && commit.command === undefined);
    const pauses = growingPause(FIRST_PAUSE_MS, MOST_PAUSE_MS);
    for (;;) {
      const open = group.filter((entry) => !entry.settled);
      if (open.length === 0) return NOTHING;
      const client = await this.#connect(open);
      if (client === null) {
        await pause(pauses.failed());
        continue;
      }
      for (const entry of open) entry.maybeWritten = true;
      try {
        const settle = areNew ? await appendNew(client, open) : await append(client, open);
        client.release();
        this.#options.onAppended();
        return settle;
      } catch (error) {
        const wasNew = areNew;
        areNew = false;
        if (wasNew && (error as { code?: unknown }).code === UNIQUE_VIOLATION) {
          client.release();
          for (const entry of open) entry.maybeWritten = false;
          continue;
        }
        client.release(true);
        if (isRefusal(error)) {
          for (const entry of open) {
            entry.maybeWritten = entry.repeated;
            fail(entry, unavailable(entry, error));
          }
          return NOTHING;
        }
        for (const entry of open) entry.repeated = true;
        await pause(pauses.failed());
      }
    }
  }

  async #connect(open: readonly Waiting[]): Promise<pg.PoolClient | null> {
    try {
      return await this.#options.pool.connect();
    } catch (error) {
      if (isRefusal(error)) for (const entry of open) fail(entry, unavailable(entry, error));
      return null;
    }
  }

  #rejectOverdue(): void {
    const now = performance.now();
    for (const entry of this.#inFlight) {
      // `unavailable` says "unknown" if a statement with the commit was sent.
      if (entry.deadline <= now) fail(entry, unavailable(entry, undefined));
    }
    const overdue = this.#queue.filter(({ deadline }) => deadline <= now);
    if (overdue.length === 0) return;
    this.#queue = this.#queue.filter(({ deadline }) => deadline > now);
    for (const entry of overdue) {
      this.#queuedBytes -= entry.body.length;
      fail(entry, new LogUnavailableError('the log did not take the append in time'));
    }
  }
}

function unavailable(entry: Waiting, cause: unknown): Error {
  return entry.maybeWritten
    ? new OutcomeUnknownError('the log did not say in time whether it has the append', { cause })
    : new LogUnavailableError('the log does not take the append', { cause });
}

/**
 * Whether the database answered with an error after which the transaction is certainly rolled back. After errors of the
 * classes 08 (connection) and 57 (the server is stopping, perhaps after the commit) it may be committed. Errors of class 53
 * (out of resources) are retried too. Classes: PostgreSQL's manual, appendix A.
 */
function isRefusal(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57|53)/.test(code);
}

/** One tick of the event loop. */
function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Between two attempts to send a group. */
const FIRST_PAUSE_MS = 20;
const MOST_PAUSE_MS = 500;
