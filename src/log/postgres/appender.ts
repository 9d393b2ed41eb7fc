import type pg from 'pg';
import { pause } from '../../util/pause.ts';
import { decodeCommit, encodeCommit, headAt, headWith } from '../commit-codec.ts';
import {
  type Appended,
  COMMAND_MEMORY_MS,
  ConflictError,
  LogUnavailableError,
  type NewCommit,
  OutcomeUnknownError,
  type StreamHead,
} from '../port.ts';
import { keyOf } from '../stream-name.ts';
import { positionOf } from './position.ts';

export interface AppenderOptions {
  /** Connections of the appender alone: intake must not queue behind reports. */
  readonly pool: pg.Pool;
  /** No append waits longer, in milliseconds. */
  readonly maxWaitMs: number;
  /** Appends waiting for their turn, in bytes of their text; more are refused at once. */
  readonly maxQueuedBytes: number;
  /** Told after each commit of a group: wake the readers. */
  readonly onAppended: () => void;
}

interface Waiting {
  readonly commit: NewCommit;
  readonly body: string;
  /** Where its stream ends with it. */
  readonly head: StreamHead | null;
  readonly deadline: number;
  /** Set from when a statement with it is sent until its outcome is learnt. */
  maybeWritten: boolean;
  /** Set when that was never learnt, and the statement is sent again. */
  repeated: boolean;
  settled: boolean;
  resolve(appended: Appended): void;
  reject(error: Error): void;
}

interface OutcomeRow {
  n: number;
  outcome: 'appended' | 'repeated' | 'conflict';
  txid: string | null;
  seq: string | null;
  /** Of a conflict: where the stream ends. */
  revision: number | null;
  /** Of the commit that was there before. */
  body: string | null;
}

/** What the database said of a group. */
interface Answered {
  readonly group: readonly Waiting[];
  readonly rows: readonly OutcomeRow[];
}

const NOTHING: Answered = { group: [], rows: [] };
const MAX_GROUP_COMMITS = 500;
const MAX_GROUP_BYTES = 8 << 20;
const SWEEP_MS = 100;

const APPEND = {
  name: 'log_append',
  text: 'SELECT n, outcome, txid::text, seq::text, revision, body FROM log.append($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)',
};

/**
 * Group commit: appends that arrive while a transaction is on its way go together in the next one, and each is answered
 * after the commit. One flush is under way at a time; at 32 clients that is a third of the round trips and one fsync
 * for many. The next is sent before the last is answered, so that the database need not wait for the answering.
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

  /** Waits for what is under way; nothing new is taken. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#flushing;
  }

  async #drain(): Promise<void> {
    // So that requests that were read together share the first group too.
    await turn();
    let answered: Answered = NOTHING;
    while (this.#queue.length > 0) {
      const flushed = this.#flush(this.#takeGroup());
      // Once this group is sent: its predecessor's callers are answered while the database works.
      await turn();
      settle(answered);
      answered = await flushed;
    }
    settle(answered);
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
    return this.#queue.splice(0, count);
  }

  /** Repeats the statement, with the same commit ids, until the database has answered it or no caller waits any more. */
  async #flush(group: readonly Waiting[]): Promise<Answered> {
    this.#inFlight = group;
    for (let attempt = 0; ; attempt++) {
      const open = group.filter((entry) => !entry.settled);
      if (open.length === 0) return NOTHING;
      const client = await this.#connect(open);
      if (client === null) {
        await pause(retryDelay(attempt));
        continue;
      }
      for (const entry of open) entry.maybeWritten = true;
      try {
        const { rows } = await client.query<OutcomeRow>({ ...APPEND, values: parameters(open) });
        client.release();
        this.#options.onAppended();
        return { group: open, rows };
      } catch (error) {
        client.release(true);
        if (isRefusal(error)) {
          for (const entry of open) {
            entry.maybeWritten = entry.repeated;
            fail(entry, unavailable(entry, error));
          }
          return NOTHING;
        }
        for (const entry of open) entry.repeated = true;
        await pause(retryDelay(attempt));
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
      // A statement may be under way: what is not known to be unsent is unknown.
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

function fail(entry: Waiting, error: Error): void {
  if (entry.settled) return;
  entry.settled = true;
  entry.reject(error);
}

function unavailable(entry: Waiting, cause: unknown): Error {
  return entry.maybeWritten
    ? new OutcomeUnknownError('the log did not say in time whether it has the append', { cause })
    : new LogUnavailableError('the log does not take the append', { cause });
}

function parameters(group: readonly Waiting[]): unknown[] {
  return [
    arrayOf(group.map(({ commit }) => commit.id)),
    group.map(({ commit }) => commit.stream),
    group.map(({ commit }) => keyOf(commit.stream)),
    arrayOf(group.map(({ head }) => head?.revision ?? null)),
    group.map(({ commit }) => (commit.expected === 'any' ? null : commit.expected.hash)),
    arrayOf(group.map(({ head }) => head?.hash ?? null)),
    arrayOf(group.map(({ commit }) => commit.command?.id ?? null)),
    arrayOf(group.map(({ commit }) => commit.at)),
    arrayOf(group.map(({ body }) => Buffer.byteLength(body))),
    Buffer.from(group.map(({ body }) => body).join('')),
    COMMAND_MEMORY_MS,
  ];
}

/** An array as PostgreSQL reads it, of numbers, hex and UUIDs: `pg` would look for what to escape in each of them. */
function arrayOf(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join()}}`;
}

function settle({ group, rows }: Answered): void {
  for (const row of rows) {
    const entry = group[row.n - 1]!;
    if (entry.settled) continue;
    if (row.outcome === 'conflict') {
      const expected = entry.commit.expected === 'any' ? 0 : entry.commit.expected.revision;
      fail(entry, new ConflictError(entry.commit.stream, expected, row.revision ?? 0));
      continue;
    }
    entry.settled = true;
    entry.resolve(appended(entry, row));
  }
}

function appended(entry: Waiting, { outcome, txid, seq, body }: OutcomeRow): Appended {
  const position = positionOf({ txid: txid!, seq: seq! });
  if (outcome === 'appended') return { position, head: entry.head, repeated: null };
  const commit = decodeCommit(body!, position, Number(seq));
  // Our own earlier attempt, whose answer was lost, is not a repeat to the caller.
  const own = entry.repeated && commit.id === entry.commit.id;
  return { position, head: headAt(commit), repeated: own ? null : commit };
}

/**
 * Whether the database answered with an error, so that the transaction is certainly rolled back. Not so for the classes
 * 08 (connection) and 57 (the server is going away, perhaps after the commit): manual, appendix A.
 */
function isRefusal(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57|53)/.test(code);
}

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function retryDelay(attempt: number): number {
  return Math.min(500, 20 * 2 ** attempt);
}
