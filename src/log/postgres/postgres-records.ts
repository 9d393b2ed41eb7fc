import type pg from 'pg';
import { pause } from '../../util/pause.ts';
import { decodeCommit } from '../commit-codec.ts';
import type { RecordedCommit, StoredRecord, StreamHead } from '../port.ts';
import { type OrderKey, positionOf, START } from './position.ts';

const PAGE_COMMITS = 1000;
const PAGE_BYTES = 4 << 20;

const END = 'SELECT txid::text, seq::text FROM log.commits ORDER BY commits.txid DESC, commits.seq DESC LIMIT 1';
/** Whether the audit can read up to a transaction: as all readers, it reads below the oldest open transaction (reader.ts). */
const HORIZON = 'SELECT $1::xid8 < pg_snapshot_xmin(pg_current_snapshot()) AS passed';
const BLOCKED_MS = 20;

const PAGE = `
  SELECT txid::text, seq::text, id::text, stream, revision, body FROM (
    SELECT *, sum(octet_length(body)) OVER (ORDER BY txid, seq) - octet_length(body) AS bytes_before
    FROM (
      SELECT * FROM log.commits WHERE (txid, seq) > ($1::xid8, $2::bigint) AND (txid, seq) <= ($3::xid8, $4::bigint)
        AND txid < pg_snapshot_xmin(pg_current_snapshot())
      ORDER BY txid, seq LIMIT ${PAGE_COMMITS}
    ) AS taken
  ) AS page WHERE bytes_before < ${PAGE_BYTES} ORDER BY page.txid, page.seq`;

interface Row extends OrderKey {
  readonly id: string;
  readonly stream: string;
  readonly revision: number | null;
  readonly body: string;
}

/** Reads every row of the table of commits, and compares its text with its other columns, by which commits are found. */
export async function* readStoredRecords(db: pg.Pool, signal: AbortSignal): AsyncGenerator<readonly StoredRecord[]> {
  const { rows: ends } = await db.query<OrderKey>({ name: 'log_stored_records_end', text: END });
  const end = ends[0];
  if (end === undefined) return;
  let after = START;
  while (!signal.aborted) {
    const horizon = await db.query<{ passed: boolean }>({
      name: 'log_stored_records_horizon',
      text: HORIZON,
      values: [end.txid],
    });
    const values = [after.txid, after.seq, end.txid, end.seq];
    const { rows } = await db.query<Row>({ name: 'log_stored_records', text: PAGE, values });
    const last = rows.at(-1);
    if (last !== undefined) {
      yield rows.map(recordOf);
      after = last;
    } else if (horizon.rows[0]!.passed) return;
    else await pause(BLOCKED_MS, signal);
  }
}

function recordOf(row: Row): StoredRecord {
  const position = positionOf(row);
  let commit: RecordedCommit;
  try {
    commit = decodeCommit(row.body, position, Number(row.seq));
  } catch {
    return { position, commit: null, void: null, fault: null };
  }
  const { id, stream, revision } = commit;
  const same = row.id === id.toLowerCase() && row.stream === stream && row.revision === revision;
  const fault = same ? null : `the table has it as revision ${row.revision} of ${row.stream}, by the id ${row.id}`;
  return { position, commit, void: null, fault };
}

/** Reads the heads of exact streams from their table, in pages. */
export async function* indexedStreamHeads(db: pg.Pool): AsyncGenerator<ReadonlyMap<string, StreamHead>> {
  for (let after = ''; ; ) {
    const { rows } = await db.query<StreamHead & { readonly stream: string }>({
      name: 'log_noted_heads',
      text: 'SELECT stream, revision, hash FROM log.streams WHERE stream > $1 ORDER BY stream LIMIT 1000',
      values: [after],
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield new Map(rows.map(({ stream, revision, hash }) => [stream, { revision, hash }]));
    after = last.stream;
  }
}
