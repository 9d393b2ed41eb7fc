import type pg from 'pg';
import {
  BrokenChainError,
  EMPTY_STREAM,
  type EventLog,
  hasPassed,
  type Position,
  partitionOf,
  type RecordedCommit,
  type StoredRecord,
  type StreamHead,
  UnreadableCommitError,
} from './port.ts';
import { keyOf } from './stream-name.ts';

/** A fault of the log, with its stream and revision where they are known. */
export interface LogFinding {
  /**
   * unreadable: no commit, though it counts; noted: the engine's notes say otherwise; chain: it does not continue its
   * stream; void: it does not count, and was appended on top of what is not there, or should count; end: its stream ends
   * elsewhere than was noted.
   */
  readonly kind: 'unreadable' | 'noted' | 'chain' | 'void' | 'end';
  readonly stream: string | null;
  readonly revision: number | null;
  readonly message: string;
}

export interface AuditOptions {
  readonly log: EventLog;
  /** A database for the temporary table of stream heads: there may be millions. */
  readonly pool: pg.Pool;
  /** Audits only the streams of this key. */
  readonly key?: string | undefined;
  readonly signal: AbortSignal;
  /** Called with the number of audited records and about how many there are. */
  readonly onProgress: (done: number, total: number) => void;
  /** Called with the totals at the end. */
  readonly onEnd: (looked: AuditedLog) => void;
}

/** How much an audit has read. */
export interface AuditedLog {
  /** Commits of the key, if one is given. */
  readonly commits: number;
  /** Indexed stream heads. */
  readonly heads: number;
}

/**
 * Walks all records of the log, and checks that the commits of each exact stream follow one another, each naming the hash
 * of the stored bytes of the one before, up to where the engine has noted that the stream ends.
 * @throws where the engine misses records, or does not answer
 */
export async function* auditLog(options: AuditOptions): AsyncGenerator<LogFinding> {
  const { log, pool, key, signal, onProgress, onEnd } = options;
  const isWanted = (stream: string): boolean => key === undefined || keyOf(stream) === key;
  const walked = new Map<number, Position>();
  const looked = { commits: 0, heads: 0 };
  const ends = await openAuditedStreamHeads(pool);
  try {
    const total = (await log.lag(new Map())).commits;
    let done = 0;
    for await (const records of log.storedRecords(signal)) {
      const exact = records.flatMap(({ commit }) =>
        commit === null || commit.revision === null ? [] : [commit.stream],
      );
      const known = await ends.of(exact.filter(isWanted));
      for (const record of records) {
        walked.set(partitionOf(record.position), record.position);
        if (record.commit !== null && !isWanted(record.commit.stream)) continue;
        looked.commits++;
        yield* ofRecord(record, known);
      }
      done += records.length;
      onProgress(done, Math.max(total, done));
    }
    signal.throwIfAborted();
    for await (const heads of log.indexedStreamHeads()) {
      const wanted = [...heads].filter(([stream]) => isWanted(stream));
      const known = await ends.of(wanted.map(([stream]) => stream));
      for (const [stream, noted] of wanted) {
        const end = known.get(stream)!;
        end.noted = true;
        looked.heads++;
        const message = await wrongEnd(log, stream, end, noted, walked);
        if (message !== null) yield { kind: 'end', stream, revision: noted.revision, message };
      }
      signal.throwIfAborted();
    }
    for await (const { stream, revision } of ends.notNoted())
      yield { kind: 'end', stream, revision, message: 'it is nowhere noted where the stream ends' };
    onEnd(looked);
  } finally {
    await ends.close();
  }
}

function* ofRecord(
  { position, commit, void: reason, fault }: StoredRecord,
  ends: ReadonlyMap<string, AuditedStreamHead>,
) {
  const found = (kind: LogFinding['kind'], message: string): LogFinding => {
    return { kind, stream: commit?.stream ?? null, revision: commit?.revision ?? null, message };
  };
  if (commit === null) {
    if (reason === null) yield found('unreadable', `the record at ${position} is no commit`);
    return;
  }
  if (fault !== null) yield found('noted', fault);
  const { stream, revision, hash } = commit;
  if (revision === null || hash === null) return;
  const end = ends.get(stream)!;
  const wrong = wrongLink(commit, end);
  if (reason === null) {
    if (wrong !== null) yield found('chain', wrong);
    Object.assign(end, { revision, hash });
  } else if (reason === 'conflict' && revision > end.revision && !end.torn) {
    // Who lost a race has named a commit that was there before; of one that came late that is not looked up.
    end.torn = true;
    yield found('void', wrong === null ? 'is void though it continues the stream' : `is void: ${wrong}`);
  }
}

/** Why a commit does not continue the stream; null: it does. */
function wrongLink({ revision, prev }: RecordedCommit, end: StreamHead): string | null {
  const expected = end.revision + 1;
  if (revision! > expected)
    return `before it ${revision! - 1 === expected ? `revision ${expected} is` : `revisions ${expected} to ${revision! - 1} are`} missing`;
  if (revision! < expected) return `it comes after revision ${end.revision}`;
  return prev === end.hash ? null : 'the commit before it is not the one that it was appended on top of';
}

/** Why the walk has not come to where a stream is noted to end; what was appended since the walk is read on from there. */
async function wrongEnd(
  log: EventLog,
  stream: string,
  { revision, hash }: StreamHead,
  noted: StreamHead,
  walked: ReadonlyMap<number, Position>,
): Promise<string | null> {
  if (noted.revision === revision)
    return noted.hash === hash ? null : 'the last commit is not the one that is noted to be the last';
  if (noted.revision < revision) return `the stream continues to revision ${revision}`;
  try {
    const { commits } = await log.read(stream, { revision, hash });
    return commits.some(({ position }) => hasPassed(walked, position))
      ? `the stream ends at revision ${revision}, the rest is in the index alone`
      : null;
  } catch (error) {
    if (!(error instanceof BrokenChainError) && !(error instanceof UnreadableCommitError)) throw error;
    return `the stream ends at revision ${revision}: ${error.message}`;
  }
}

/** The head of a stream as far as the audit has read. Changed in place. */
export interface AuditedStreamHead extends StreamHead {
  revision: number;
  hash: string;
  /** A void record of the stream has been reported. */
  torn: boolean;
  /** The engine's index has a head of it. */
  noted: boolean;
}

export interface AuditedStreamHeads {
  /** Heads of these streams; a new stream is empty. Valid until the next call. */
  of(streams: readonly string[]): Promise<ReadonlyMap<string, AuditedStreamHead>>;
  /** Streams with commits and no indexed head. */
  notNoted(): AsyncIterable<{ readonly stream: string; readonly revision: number }>;
  close(): Promise<void>;
}

/** Streams held in memory, some 200 bytes each. Beyond that, all go to a temporary table. */
const IN_MEMORY = 200_000;

/** The stream heads of an audit, `inMemory` of them in memory. */
export async function openAuditedStreamHeads(pool: pg.Pool, inMemory = IN_MEMORY): Promise<AuditedStreamHeads> {
  const session = await pool.connect();
  const ends = new Map<string, AuditedStreamHead>();
  let spilled = false;
  try {
    await session.query('DROP TABLE IF EXISTS pg_temp.audited_ends');
    await session.query(`CREATE TEMPORARY TABLE audited_ends (
      stream text COLLATE "C" PRIMARY KEY, revision integer NOT NULL, hash text NOT NULL,
      torn boolean NOT NULL, noted boolean NOT NULL)`);
  } catch (error) {
    session.release(true);
    throw error;
  }

  async function spill(): Promise<void> {
    spilled = true;
    const all = [...ends];
    const column = <K extends keyof AuditedStreamHead>(key: K): AuditedStreamHead[K][] =>
      all.map(([, end]) => end[key]);
    await session.query(
      `INSERT INTO audited_ends
       SELECT * FROM unnest($1::text[], $2::integer[], $3::text[], $4::boolean[], $5::boolean[])
       ON CONFLICT (stream) DO UPDATE SET revision = excluded.revision, hash = excluded.hash, torn = excluded.torn,
         noted = excluded.noted`,
      [all.map(([stream]) => stream), column('revision'), column('hash'), column('torn'), column('noted')],
    );
    ends.clear();
  }

  return {
    async of(streams) {
      if (ends.size >= inMemory) await spill();
      const unknown = [...new Set(streams)].filter((stream) => !ends.has(stream));
      if (unknown.length === 0) return ends;
      for (const stream of unknown) ends.set(stream, { ...EMPTY_STREAM, torn: false, noted: false });
      if (spilled) {
        const { rows } = await session.query<AuditedStreamHead & { stream: string }>(
          'SELECT stream, revision, hash, torn, noted FROM audited_ends WHERE stream = ANY ($1)',
          [unknown],
        );
        for (const { stream, ...end } of rows) ends.set(stream, end);
      }
      return ends;
    },

    async *notNoted() {
      await spill();
      for (let after = ''; ; ) {
        const { rows } = await session.query<{ stream: string; revision: number }>(
          `SELECT stream, revision FROM audited_ends WHERE NOT noted AND revision > 0 AND stream > $1
           ORDER BY stream LIMIT 1000`,
          [after],
        );
        yield* rows;
        const last = rows.at(-1);
        if (last === undefined) return;
        after = last.stream;
      }
    },

    async close() {
      // Closes the session, which drops its table.
      session.release(true);
    },
  };
}
