import { namedBot, ofBot } from '../../database/of-bot.ts';
import type { ReadTables } from '../../database/tables.ts';
import { PLACE } from '../../domain/broadcast/sending.ts';
import { bucketEnds } from '../../domain/broadcast/variant-of.ts';
import { bucketSql, digestSql } from './variant-sql.ts';

/** How many recipients are in each state (decisions.md#broadcast-statistics). */
interface RecipientCounts {
  readonly count_recipients: number;
  readonly count_delivered: number;
  /** Those of unknown outcome included. */
  readonly count_not_delivered: number;
  /** Never attempted, since the broadcast was stopped or failed. */
  readonly count_cancelled: number;
  readonly count_unknown: number;
}

export interface CountedRecipients {
  readonly total: RecipientCounts;
  /** In the order of the variants. */
  readonly variants: readonly RecipientCounts[];
}

const ADDED = [
  'count_recipients',
  'count_delivered',
  'count_not_delivered',
  'count_cancelled',
  'count_unknown',
] as const satisfies readonly (keyof RecipientCounts)[];

/**
 * Counts recipients in one statement, so that all numbers are of one moment. The rows of a broadcast without variants are not
 * read: their counts are kept. @param shares of the variants
 */
export async function countRecipients(
  { pool, recipients }: ReadTables<'recipients'>,
  { botId, id }: { readonly botId: number; readonly id: number },
  shares: readonly number[],
): Promise<CountedRecipients> {
  const ends = bucketEnds(shares);
  const { rows } = await pool.query<RecipientCounts & { readonly bucket: number }>(
    shares.length === 0 ? kept(recipients) : counted(recipients, ofBot('r.bot_id', await namedBot(pool, botId))),
    [id],
  );
  const of = (index: number) => rows.filter(({ bucket }) => ends.findIndex((end) => bucket < end) === index);
  return { total: sumOf(rows), variants: ends.map((_, index) => sumOf(of(index))) };
}

const kept = (schema: string) => `
  SELECT 0 AS bucket, count_recipients, count_delivered, count_not_delivered, count_unknown,
         CASE WHEN cancelled THEN count_recipients - count_delivered - count_not_delivered ELSE 0 END AS count_cancelled
    FROM ${schema}.sendings WHERE broadcast_id = $1`;

/** @param isOfBot SQL */
const counted = (schema: string, isOfBot: string) => `
  SELECT ${bucketSql('digest')} AS bucket, count(*)::int AS count_recipients,
         count(*) FILTER (WHERE state = ${PLACE.delivered})::int AS count_delivered,
         count(*) FILTER (WHERE state IN (${PLACE.not_delivered}, ${PLACE.unknown}))::int AS count_not_delivered,
         count(*) FILTER (WHERE state = ${PLACE.unknown})::int AS count_unknown,
         count(*) FILTER (WHERE state = 0 AND cancelled)::int AS count_cancelled
    FROM (SELECT ${digestSql('r.broadcast_id', 'r.chat_id')} AS digest, r.state, s.cancelled
            FROM ${schema}.recipients AS r JOIN ${schema}.sendings AS s USING (broadcast_id)
           WHERE r.broadcast_id = $1 AND ${isOfBot} OFFSET 0) AS r
   GROUP BY bucket`;

function sumOf(rows: readonly RecipientCounts[]): RecipientCounts {
  const sum = (key: keyof RecipientCounts) => rows.reduce((all, row) => all + row[key], 0);
  return Object.fromEntries(ADDED.map((key) => [key, sum(key)])) as Record<(typeof ADDED)[number], number>;
}
