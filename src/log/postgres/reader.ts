import type pg from 'pg';
import { BETWEEN_EVENTS, decodeCommit } from '../commit-codec.ts';
import type { Batch, Position, RecordedCommit } from '../port.ts';
import { orderKeyOf, positionOf, START } from './position.ts';

/**
 * The type of the first event, which a commit names within its first characters. By a regular expression it took 11 µs a
 * commit, this way less than 2; to look for each unwanted type in whole texts (LIKE) took more time than decoding them all.
 */
const HEAD_LENGTH = 2000;
const FIRST_TYPE = `split_part(split_part(left(page.body, ${HEAD_LENGTH}), '"events":[{"type":"', 2), '"', 1)`;

/**
 * Sequence numbers are handed out before commit, so a reader that trusts the greatest one loses what commits later with a
 * smaller one; skipping gaps by a timeout loses it too. So: read only below the oldest transaction still open
 * (`pg_snapshot_xmin`), ordered by (transaction id, sequence number). No commit can ever appear behind a reader.
 * One statement, so one snapshot for the page and the horizon. Whether it is blocked is asked of the last commit alone: the
 * planner cannot know that hardly any lie above the snapshot, and an EXISTS read the whole log for each page.
 */
const PAGE = `
  WITH snapshot AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin),
  horizon AS (
    SELECT txid, seq FROM log.commits WHERE txid < (SELECT xmin FROM snapshot) ORDER BY txid DESC, seq DESC LIMIT 1
  ),
  taken AS MATERIALIZED (
    SELECT txid, seq, stream, body,
      sum(octet_length(body)) OVER (ORDER BY txid, seq) - octet_length(body) AS bytes_before
    FROM log.commits
    WHERE (txid, seq) > ($1::xid8, $2::bigint) AND txid < (SELECT xmin FROM snapshot) AND EXACT_ONLY
    ORDER BY txid, seq LIMIT $3
  ),
  page AS MATERIALIZED (SELECT txid, seq, stream, body FROM taken WHERE bytes_before < $4),
  -- What the page covers: all up to the horizon, unless it was cut short.
  page_end AS (
    SELECT txid, seq FROM page
    UNION ALL
    SELECT txid, seq FROM horizon
      WHERE (SELECT count(*) FROM taken) < $3 AND NOT EXISTS (SELECT FROM taken WHERE bytes_before >= $4)
    ORDER BY txid DESC, seq DESC LIMIT 1
  ),
  last AS (SELECT txid FROM log.commits ORDER BY txid DESC, seq DESC LIMIT 1)
  SELECT page.txid::text, page.seq::text, page.body, page_end.txid::text AS end_txid, page_end.seq::text AS end_seq,
    coalesce((SELECT txid FROM last) >= (SELECT xmin FROM snapshot), false) AS blocked
  FROM (SELECT) AS one LEFT JOIN page_end ON true LEFT JOIN page ON split_part(page.stream, '-', 1) = ANY ($5)
    AND NOT (${FIRST_TYPE} = ANY ($6) AND strpos(page.body, '${BETWEEN_EVENTS}') = 0)
  ORDER BY page.txid, page.seq`;

/** Text by itself is prepared once per connection. Readers that ask for no intake go by the index on exact streams. */
const ALL = { name: 'log_page', text: PAGE.replace('EXACT_ONLY', 'true') };
const EXACT_ONLY = { name: 'log_page_exact', text: PAGE.replace('EXACT_ONLY', 'revision IS NOT NULL') };

interface PageRow {
  /** All three null in the one row of a page of which no commit is wanted. */
  txid: string | null;
  seq: string | null;
  body: string | null;
  /** Null while the log is empty. */
  end_txid: string | null;
  end_seq: string | null;
  blocked: boolean;
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
  const after = orderKeyOf(options.after);
  const { rows } = await db.query<PageRow>({
    ...(options.exactOnly ? EXACT_ONLY : ALL),
    values: [after.txid, after.seq, options.maxCommits, options.maxBytes, options.categories, [...options.without]],
  });
  const { end_txid, end_seq, blocked } = rows[0]!;
  const last = positionOf({ txid: end_txid ?? START.txid, seq: end_seq ?? START.seq });
  if (last <= positionOf(after)) return { batch: null, blocked };
  const commits: RecordedCommit[] = [];
  for (const { txid, seq, body } of rows)
    if (txid !== null && seq !== null && body !== null)
      commits.push(decodeCommit(body, positionOf({ txid, seq }), Number(seq)));
  return { batch: { partition: 0, commits, last }, blocked };
}
