import type pg from 'pg';
import { BETWEEN_EVENTS, decodeCommit } from '../commit-codec.ts';
import type { Batch, Position, RecordedCommit } from '../port.ts';
import { type Place, placeOf, positionOf } from './position.ts';

/**
 * The type of the first event, which a commit names within its first characters. To look for each unwanted type in whole
 * texts (LIKE) took more time than decoding them all.
 */
const HEAD_LENGTH = 2000;
const FIRST_TYPE = '"events":\\[\\{"type":"([^"]+)"';

/**
 * Sequence numbers are handed out before commit, so a reader that trusts the greatest one loses what commits later with a
 * smaller one; skipping gaps by a timeout loses it too. So: read only below the oldest transaction still open
 * (`pg_snapshot_xmin`), ordered by (transaction id, sequence number). No commit can ever appear behind a reader.
 * One statement, so one snapshot for the page and the horizon.
 */
const PAGE = `
  WITH snapshot AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin),
  horizon AS MATERIALIZED (
    SELECT txid, seq FROM log.commits WHERE txid < (SELECT xmin FROM snapshot) ORDER BY txid DESC, seq DESC LIMIT 1
  ),
  page AS MATERIALIZED (
    SELECT txid, seq, stream, body,
      sum(octet_length(body)) OVER (ORDER BY txid, seq) - octet_length(body) AS bytes_before
    FROM log.commits
    WHERE (txid, seq) > ($1::xid8, $2::bigint) AND txid < (SELECT xmin FROM snapshot) AND EXACT_ONLY
    ORDER BY txid, seq LIMIT $3
  )
  SELECT page.txid::text, page.seq::text,
    CASE WHEN split_part(page.stream, '-', 1) = ANY ($5) AND NOT (
      substring(left(page.body, ${HEAD_LENGTH}) FROM '${FIRST_TYPE}') = ANY ($6)
      AND strpos(page.body, '${BETWEEN_EVENTS}') = 0) THEN page.body END AS body,
    (SELECT txid::text FROM horizon) AS horizon_txid, (SELECT seq::text FROM horizon) AS horizon_seq,
    EXISTS (SELECT FROM log.commits WHERE txid >= (SELECT xmin FROM snapshot)) AS blocked,
    (SELECT count(*) FROM page) AS taken
  FROM (SELECT) AS one LEFT JOIN page ON page.bytes_before < $4
  ORDER BY page.txid, page.seq`;

/** Text by itself is prepared once per connection. Readers that ask for no intake go by the index on exact streams. */
const ALL = { name: 'log_page', text: PAGE.replace('EXACT_ONLY', 'true') };
const EXACT_ONLY = { name: 'log_page_exact', text: PAGE.replace('EXACT_ONLY', 'revision IS NOT NULL') };

interface PageRow {
  txid: string | null;
  seq: string | null;
  body: string | null;
  horizon_txid: string | null;
  horizon_seq: string | null;
  blocked: boolean;
  taken: string;
}

export interface PageOptions {
  readonly after: Position | undefined;
  readonly categories: readonly string[];
  readonly without: readonly string[];
  readonly exactOnly: boolean;
  readonly maxCommits: number;
  readonly maxBytes: number;
}

export interface Page {
  /** Null when there is nothing new. */
  readonly batch: Batch | null;
  /** Commits exist that an older open transaction keeps from being read: look again soon. */
  readonly blocked: boolean;
}

export async function readPage(db: pg.Pool, options: PageOptions): Promise<Page> {
  const after = placeOf(options.after);
  const { rows } = await db.query<PageRow>({
    ...(options.exactOnly ? EXACT_ONLY : ALL),
    values: [after.txid, after.seq, options.maxCommits, options.maxBytes, options.categories, [...options.without]],
  });
  const first = rows[0]!;
  const found = rows.filter((row): row is PageRow & Place => row.txid !== null && row.seq !== null);
  const last = lastOf(after, found, first, options.maxCommits);
  if (last === null) return { batch: null, blocked: first.blocked };
  const commits: RecordedCommit[] = [];
  for (const { txid, seq, body } of found) {
    if (body !== null) commits.push(decodeCommit(body, positionOf({ txid, seq }), Number(seq)));
  }
  return { batch: { lane: 0, commits, last: positionOf(last) }, blocked: first.blocked };
}

/** The last place that the page covers: its last row when it was cut short, else the horizon. */
function lastOf(after: Place, found: readonly Place[], row: PageRow, maxCommits: number): Place | null {
  const cut = found.length === maxCommits || found.length < Number(row.taken);
  if (cut) return found[found.length - 1]!;
  if (row.horizon_txid === null || row.horizon_seq === null) return null;
  const horizon = { txid: row.horizon_txid, seq: row.horizon_seq };
  return positionOf(horizon) > positionOf(after) ? horizon : null;
}
