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

/** One thing that is wrong in the log, with its stream and revision if the record has them. */
export interface LogFinding {
  /**
   * unreadable: a valid record is no commit. noted: the engine's columns or index differ from the record. chain: a commit
   * does not continue its stream. void: a void record was appended on top of a commit that is missing, or should be valid.
   * end: a stream does not end at its indexed head.
   */
  readonly kind: 'unreadable' | 'noted' | 'chain' | 'void' | 'end';
  readonly stream: string | null;
  readonly revision: number | null;
  readonly message: string;
}

export interface AuditOptions {
  readonly log: EventLog;
  /** The database for a temporary table of stream heads, of which there may be millions. */
  readonly pool: pg.Pool;
  /** Audits only the streams of this key. */
  readonly key?: string | undefined;
  readonly signal: AbortSignal;
  /** Called with the number of audited records and about how many there are. */
  readonly onProgress: (done: number, total: number) => void;
  /** Called with the totals at the end. */
  readonly onEnd: (audited: AuditedLog) => void;
}

/** How much an audit has read. */
export interface AuditedLog {
  /** Commits of the key, if one is given. */
  readonly commits: number;
  /** Indexed stream heads. */
  readonly heads: number;
}

/**
 * Reads all records of the log, and checks that the commits of each exact stream follow one another: each names the hash of
 * the stored bytes of the one before, and the last is the stream's indexed head.
 * @throws if the engine misses records or does not answer
 */
export async function* auditLog(options: AuditOptions): AsyncGenerator<LogFinding> {
  const { log, pool, key, signal, onProgress, onEnd } = options;
  const isWanted = (stream: string): boolean => key === undefined || keyOf(stream) === key;
  const cursor = new Map<number, Position>();
  const audited = { commits: 0, heads: 0 };
  const auditedHeads = await openAuditedStreamHeads(pool);
  try {
    const total = (await log.lag(new Map())).commits;
    let done = 0;
    for await (const records of log.storedRecords(signal)) {
      const exact = records.flatMap(({ commit }) =>
        commit === null || commit.revision === null ? [] : [commit.stream],
      );
      const heads = await auditedHeads.of(exact.filter(isWanted));
      for (const record of records) {
        cursor.set(partitionOf(record.position), record.position);
        if (record.commit !== null && !isWanted(record.commit.stream)) continue;
        audited.commits++;
        yield* ofRecord(record, heads);
      }
      done += records.length;
      onProgress(done, Math.max(total, done));
    }
    signal.throwIfAborted();
    for await (const indexedHeads of log.indexedStreamHeads()) {
      const wanted = [...indexedHeads].filter(([stream]) => isWanted(stream));
      const heads = await auditedHeads.of(wanted.map(([stream]) => stream));
      for (const [stream, indexed] of wanted) {
        const head = heads.get(stream)!;
        head.isIndexed = true;
        audited.heads++;
        const message = await wrongEnd(log, stream, head, indexed, cursor);
        if (message !== null) yield { kind: 'end', stream, revision: indexed.revision, message };
      }
      signal.throwIfAborted();
    }
    for await (const { stream, revision } of auditedHeads.notIndexed())
      yield { kind: 'end', stream, revision, message: 'the engine has no head of the stream' };
    onEnd(audited);
  } finally {
    await auditedHeads.close();
  }
}

function* ofRecord(
  { position, commit, void: reason, fault }: StoredRecord,
  heads: ReadonlyMap<string, AuditedStreamHead>,
) {
  const finding = (kind: LogFinding['kind'], message: string): LogFinding => {
    return { kind, stream: commit?.stream ?? null, revision: commit?.revision ?? null, message };
  };
  if (commit === null) {
    if (reason === null) yield finding('unreadable', `the record at ${position} is no commit`);
    return;
  }
  if (fault !== null) yield finding('noted', fault);
  const { stream, revision, hash } = commit;
  if (revision === null || hash === null) return;
  const head = heads.get(stream)!;
  const wrong = wrongLink(commit, head);
  if (reason === null) {
    if (wrong !== null) yield finding('chain', wrong);
    Object.assign(head, { revision, hash });
  } else if (reason === 'conflict' && revision > head.revision && !head.isVoidReported) {
    // A writer that loses a race has named a commit that is in the stream. A late record (an older revision) is not checked.
    head.isVoidReported = true;
    yield finding('void', wrong === null ? 'is void though it continues the stream' : `is void: ${wrong}`);
  }
}

/** Why a commit does not continue the stream at `head`; null: it does. */
function wrongLink({ revision, prev }: RecordedCommit, head: StreamHead): string | null {
  const expected = head.revision + 1;
  if (revision! > expected)
    return `before it ${revision! - 1 === expected ? `revision ${expected} is` : `revisions ${expected} to ${revision! - 1} are`} missing`;
  if (revision! < expected) return `it comes after revision ${head.revision}`;
  return prev === head.hash ? null : 'the commit before it is not the one that it was appended on top of';
}

/**
 * Why a stream does not end at its indexed head; null: it does. Reads the stream from its audited head on: commits that were
 * appended after the audit's cursor are not a finding.
 */
async function wrongEnd(
  log: EventLog,
  stream: string,
  { revision, hash }: StreamHead,
  indexed: StreamHead,
  cursor: ReadonlyMap<number, Position>,
): Promise<string | null> {
  if (indexed.revision === revision)
    return indexed.hash === hash ? null : 'the last commit is not the one that the engine has as the head';
  if (indexed.revision < revision) return `the stream continues to revision ${revision}`;
  try {
    const { commits } = await log.read(stream, { revision, hash });
    return commits.some(({ position }) => hasPassed(cursor, position))
      ? `the stream ends at revision ${revision}, the rest is only in the index`
      : null;
  } catch (error) {
    if (!(error instanceof BrokenChainError) && !(error instanceof UnreadableCommitError)) throw error;
    return `the stream ends at revision ${revision}: ${error.message}`;
  }
}

/** The head of the part of a stream that the audit has read. Changed in place. */
interface AuditedStreamHead extends StreamHead {
  revision: number;
  hash: string;
  /** The audit has reported a void record of the stream. */
  isVoidReported: boolean;
  /** The engine's index has a head of the stream. */
  isIndexed: boolean;
}

export interface AuditedStreamHeads {
  /** Heads of these streams. A stream that the audit has not met is empty. The map is valid until the next call. */
  of(streams: readonly string[]): Promise<ReadonlyMap<string, AuditedStreamHead>>;
  /** Streams with commits and no indexed head. */
  notIndexed(): AsyncIterable<{ readonly stream: string; readonly revision: number }>;
  close(): Promise<void>;
}

/** The most stream heads in memory, about 200 bytes each. Then all of them move to a temporary table. */
const MAX_IN_MEMORY = 200_000;

/** Keeps the stream heads of an audit: at most about `maxInMemory` in memory, the others in a temporary table. */
export async function openAuditedStreamHeads(pool: pg.Pool, maxInMemory = MAX_IN_MEMORY): Promise<AuditedStreamHeads> {
  const session = await pool.connect();
  const heads = new Map<string, AuditedStreamHead>();
  let spilled = false;
  try {
    await session.query('DROP TABLE IF EXISTS pg_temp.audited_heads');
    await session.query(`CREATE TEMPORARY TABLE audited_heads (
      stream text COLLATE "C" PRIMARY KEY, revision integer NOT NULL, hash text NOT NULL,
      is_void_reported boolean NOT NULL, is_indexed boolean NOT NULL)`);
  } catch (error) {
    session.release(true);
    throw error;
  }

  async function spill(): Promise<void> {
    spilled = true;
    const all = [...heads];
    const column = <K extends keyof AuditedStreamHead>(key: K): AuditedStreamHead[K][] =>
      all.map(([, head]) => head[key]);
    await session.query(
      `INSERT INTO audited_heads
       SELECT * FROM unnest($1::text[], $2::integer[], $3::text[], $4::boolean[], $5::boolean[])
       ON CONFLICT (stream) DO UPDATE SET revision = excluded.revision, hash = excluded.hash,
         is_void_reported = excluded.is_void_reported, is_indexed = excluded.is_indexed`,
      [
        all.map(([stream]) => stream),
        column('revision'),
        column('hash'),
        column('isVoidReported'),
        column('isIndexed'),
      ],
    );
    heads.clear();
  }

  return {
    async of(streams) {
      if (heads.size >= maxInMemory) await spill();
      const missing = [...new Set(streams)].filter((stream) => !heads.has(stream));
      if (missing.length === 0) return heads;
      for (const stream of missing) heads.set(stream, { ...EMPTY_STREAM, isVoidReported: false, isIndexed: false });
      if (spilled) {
        const { rows } = await session.query<AuditedStreamHead & { stream: string }>(
          `SELECT stream, revision, hash, is_void_reported AS "isVoidReported", is_indexed AS "isIndexed"
           FROM audited_heads WHERE stream = ANY ($1)`,
          [missing],
        );
        for (const { stream, ...head } of rows) heads.set(stream, head);
      }
      return heads;
    },

    async *notIndexed() {
      await spill();
      for (let after = ''; ; ) {
        const { rows } = await session.query<{ stream: string; revision: number }>(
          `SELECT stream, revision FROM audited_heads WHERE NOT is_indexed AND revision > 0 AND stream > $1
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
      // The end of the session drops its temporary table.
      session.release(true);
    },
  };
}
