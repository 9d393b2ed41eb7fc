import type { ClientBase, Pool } from 'pg';

/** A report configuration that clients asked for (decisions.md#diff-answers). */
export interface AskedReport {
  /** Public key of the bot. */
  readonly bot: string;
  /** The type of the report. */
  readonly kind: string;
  /** JSON text with sorted keys. */
  readonly config: string;
  /** How often, since it was first noted. */
  readonly asked: number;
}

const DAY_MS = 86_400_000;
/** Most configurations that an installation keeps. */
export const MOST_ASKED_REPORTS = 1000;

/**
 * Adds to the counts of configurations, each given once. Drops what was not asked for in a day, and the least asked beyond
 * {@link MOST_ASKED_REPORTS}.
 * @param now milliseconds since 1970 UTC
 */
export async function addAskedReports(pool: Pool, reports: readonly AskedReport[], now: number): Promise<void> {
  const column = <Key extends keyof AskedReport>(key: Key) => reports.map((report) => report[key]);
  // In one order, so that instances that write at once do not wait for each other in a circle.
  await pool.query(
    `INSERT INTO runtime.asked_reports AS r (bot, digest, kind, config, asked, asked_at)
     SELECT bot, sha256(convert_to(config, 'UTF8')), kind, config, asked, $5
       FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS given (bot, kind, config, asked) ORDER BY 1, 2
     ON CONFLICT (bot, digest) DO UPDATE SET asked = r.asked + excluded.asked, asked_at = excluded.asked_at`,
    [column('bot'), column('kind'), column('config'), column('asked'), now],
  );
  await pool.query(
    `DELETE FROM runtime.asked_reports WHERE asked_at < $1 OR (bot, digest) IN (
       SELECT bot, digest FROM runtime.asked_reports ORDER BY asked DESC, asked_at DESC, bot, digest OFFSET $2)`,
    [now - DAY_MS, MOST_ASKED_REPORTS],
  );
}

/** The configurations that were asked for in the day before `now`, the most asked first. */
export async function askedReports(db: Pool | ClientBase, now: number, limit: number): Promise<AskedReport[]> {
  const { rows } = await db.query<AskedReport>(
    `SELECT bot, kind, config, asked::float8 FROM runtime.asked_reports WHERE asked_at >= $1
      ORDER BY runtime.asked_reports.asked DESC, asked_at DESC, bot, digest LIMIT $2`,
    [now - DAY_MS, limit],
  );
  return rows;
}
