import type pg from 'pg';
import { pause } from '../../util/pause.ts';
import { BETWEEN_EVENTS, type Decode } from '../commit-codec.ts';
import type { Batch, Position, SubscribeOptions } from '../port.ts';
import type { GrowthNotifier } from './growth-notifier.ts';
import { orderKeyOf, positionOf, START } from './position.ts';

/**
 * SQL: whether a reader wants a commit. `$5` has the unwanted types as the keys of an object, since a look-up there takes no
 * longer however many they are. The type of a commit's first event is among the first characters of the text: a search
 * for each type in whole texts (LIKE) took more time than decoding all of them. To cut these characters off takes longer than
 * all the rest, so only long texts are cut.
 */
const HEAD_LENGTH = 2000;
const HEAD = `CASE WHEN octet_length(body) > ${HEAD_LENGTH} THEN left(body, ${HEAD_LENGTH}) ELSE body END`;
const FIRST_TYPE = `split_part(split_part(${HEAD}, '"events":[{"type":"', 2), '"', 1)`;
const IS_WANTED = `split_part(stream, '-', 1) = ANY ($4)
        AND NOT ($5::jsonb ? ${FIRST_TYPE} AND strpos(body, '${BETWEEN_EVENTS}') = 0)`;

/**
 * Reads a page of commits, ordered by transaction id, then sequence number, and only below the oldest transaction still open
 * (`pg_snapshot_xmin`). So no commit can ever appear behind a reader. A reader that trusts the greatest sequence number loses
 * commits: a transaction gets the number before it commits, and one with a smaller number may commit later. Skipping gaps
 * after a timeout loses them too.
 *
 * It is one statement, so the page and the horizon have one snapshot. It returns the wanted commits, then one row
 * without a body: the end of the page. Unwanted commits lose their bodies where they are found, so that each body is
 * copied once at most. `blocked` looks only at the last commit: an EXISTS read the whole log for each page, since the
 * planner cannot know that hardly any commits lie above the snapshot.
 */
const PAGE = `
  WITH snapshot AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin),
  horizon AS (
    SELECT txid, seq FROM log.commits WHERE txid < (SELECT xmin FROM snapshot) ORDER BY txid DESC, seq DESC LIMIT 1
  ),
  taken AS MATERIALIZED (
    SELECT txid, seq,
      CASE WHEN ${IS_WANTED} THEN body END AS body,
      sum(octet_length(body)) OVER (ORDER BY txid, seq ROWS UNBOUNDED PRECEDING) - octet_length(body) AS bytes_before
    FROM log.commits
    WHERE (txid, seq) > ($1::xid8, $2::bigint) AND txid < (SELECT xmin FROM snapshot) AND EXACT_ONLY
    ORDER BY txid, seq LIMIT MAX_COMMITS
  ),
  limits AS (SELECT count(*) = MAX_COMMITS OR coalesce(bool_or(bytes_before >= $3), false) AS is_cut FROM taken),
  -- What the page covers: all up to the horizon, unless it was cut short.
  page_end AS (
    SELECT txid, seq FROM taken WHERE bytes_before < $3
    UNION ALL
    SELECT txid, seq FROM horizon WHERE NOT (SELECT is_cut FROM limits)
    ORDER BY txid DESC, seq DESC LIMIT 1
  ),
  last AS (SELECT txid FROM log.commits ORDER BY txid DESC, seq DESC LIMIT 1)
  SELECT txid::text, seq::text, body, blocked, is_cut FROM (
    SELECT txid, seq, body, NULL::boolean AS blocked, NULL::boolean AS is_cut
    FROM taken WHERE bytes_before < $3 AND body IS NOT NULL
    UNION ALL
    SELECT page_end.txid, page_end.seq, NULL, coalesce((SELECT txid FROM last) >= (SELECT xmin FROM snapshot), false), is_cut
    FROM limits LEFT JOIN page_end ON true
  ) AS rows ORDER BY blocked IS NOT NULL, rows.txid, rows.seq`;

/**
 * Each text has its own name, so that a connection prepares it once. Readers without intake use the index on exact streams.
 * The limit is a constant, so that the plan is made for it.
 */
function statement({ exactOnly, maxCommits }: PageOptions): { readonly name: string; readonly text: string } {
  const text = PAGE.replaceAll('MAX_COMMITS', String(maxCommits)).replace(
    'EXACT_ONLY',
    exactOnly ? 'revision IS NOT NULL' : 'true',
  );
  return { name: `log_page${exactOnly ? '_exact' : ''}_${maxCommits}`, text };
}

/** A commit, or the end of the page: then `body` is null. The end has no position while the log is empty. */
type PageRow =
  | { readonly txid: string; readonly seq: string; readonly body: string }
  | {
      readonly txid: string | null;
      readonly seq: string | null;
      readonly body: null;
      readonly blocked: boolean;
      readonly is_cut: boolean;
    };

export interface PageOptions {
  readonly after: Position | undefined;
  readonly categories: readonly string[];
  readonly without: readonly string[];
  readonly exactOnly: boolean;
  readonly maxCommits: number;
  readonly maxBytes: number;
}

export interface Page<Commit> {
  /** Null if there are no new commits. */
  readonly batch: Batch<Commit> | null;
  /** Whether commits exist that cannot be read until an older open transaction ends: read again soon. */
  readonly blocked: boolean;
}

export async function readPage<Commit>(
  db: pg.Pool,
  decode: Decode<Commit>,
  options: PageOptions,
): Promise<Page<Commit>> {
  const after = orderKeyOf(options.after);
  const { rows } = await db.query<PageRow>({
    ...statement(options),
    values: [
      after.txid,
      after.seq,
      options.maxBytes,
      options.categories,
      JSON.stringify(Object.fromEntries(options.without.map((type) => [type, true]))),
    ],
  });
  const commits: Commit[] = [];
  for (const row of rows) {
    if (row.body !== null) {
      commits.push(decode(row.body, positionOf(row), Number(row.seq)));
      continue;
    }
    const { txid, seq, blocked, is_cut: hasMore } = row;
    const last = positionOf({ txid: txid ?? START.txid, seq: seq ?? START.seq });
    return { batch: last <= positionOf(after) ? null : { partition: 0, commits, last, hasMore }, blocked };
  }
  throw new Error('a page of the log has no end');
}

/** The most bytes of commits in one batch of a subscription. */
const MAX_BATCH_BYTES = 4 << 20;
/** The notifier wakes readers, also after a lost notification. A reader that nothing wakes queries by itself after this time. */
const LAST_RESORT_MS = 600_000;
/** The pause of a reader of exact streams after it was woken: intake may wake readers a hundred times a second. */
const EXACT_ONLY_MS = 40;
/** How soon a reader queries again while an open transaction holds the horizon back. */
const BLOCKED_MS = 5;

/** As EventLog.subscribe. `exactOnly`: none of the categories has *any* streams, so the index of exact streams has all commits. */
export async function* readPages<Commit>(
  db: pg.Pool,
  notifier: Pick<GrowthNotifier, 'next'>,
  decode: Decode<Commit>,
  {
    categories,
    without = [],
    after,
    maxCommits = 1000,
    signal,
    exactOnly,
  }: SubscribeOptions & { readonly exactOnly: boolean },
): AsyncGenerator<Batch<Commit>> {
  let position = after.get(0);
  while (!signal.aborted) {
    const grown = notifier.next();
    const page = await readPage(db, decode, {
      after: position,
      categories,
      without,
      exactOnly,
      maxCommits,
      maxBytes: MAX_BATCH_BYTES,
    });
    if (page.batch !== null) {
      position = page.batch.last;
      yield page.batch;
    } else if (page.blocked) await pause(BLOCKED_MS, signal);
    else {
      await pause(LAST_RESORT_MS, signal, grown);
      if (exactOnly) await pause(EXACT_ONLY_MS, signal);
    }
  }
}
