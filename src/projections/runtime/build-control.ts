import type { Pool } from 'pg';
import type { Version } from './versions.ts';

/** How a version is built: columns of its row, so the control holds for each OS process that builds the version. */

/** How fast a build goes, measured by its builder. */
export interface BuildSpeed {
  /** Applied events a second, over the last minute at most. */
  readonly eventsPerSecond: number;
  /** Estimated seconds until the version has caught up; null: unknown. */
  readonly secondsLeft: number | null;
}

/** A change of the control; what is absent stays. */
export interface BuildChange {
  readonly paused?: boolean | undefined;
  /** Events a second; null: no limit. */
  readonly maxRate?: number | null | undefined;
}

type Key = Pick<Version, 'name' | 'version'>;

/** A builder measures every `MEASURE_EVERY_MS`. If it has not for longer, no builder works. */
const SILENT = '10 seconds';

/** @returns whether the version has the control; false: it is not being built */
export async function controlBuild(pool: Pool, { name, version }: Key, change: BuildChange): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE runtime.read_models SET paused = coalesce($3, paused), max_rate = CASE WHEN $4 THEN $5 ELSE max_rate END
      WHERE name = $1 AND version = $2 AND state = 'building'`,
    [name, version, change.paused ?? null, change.maxRate !== undefined, change.maxRate ?? null],
  );
  return rowCount === 1;
}

/** Records the speed of a build; null: it is not known yet. */
export async function saveSpeed(pool: Pool, { name, version }: Key, speed: BuildSpeed | null): Promise<void> {
  await pool.query(
    `UPDATE runtime.read_models SET events_per_second = $3, seconds_left = $4, measured_at = clock_timestamp()
      WHERE name = $1 AND version = $2`,
    [name, version, speed?.eventsPerSecond ?? null, speed?.secondsLeft ?? null],
  );
}

/** The speed of a version that is being built; null: unknown, or no builder works. */
export async function loadSpeed(pool: Pool, { name, version }: Key): Promise<BuildSpeed | null> {
  const { rows } = await pool.query<BuildSpeed>(
    `SELECT events_per_second AS "eventsPerSecond", seconds_left AS "secondsLeft" FROM runtime.read_models
      WHERE name = $1 AND version = $2 AND state = 'building' AND NOT paused AND events_per_second IS NOT NULL
        AND measured_at > clock_timestamp() - interval '${SILENT}'`,
    [name, version],
  );
  return rows[0] ?? null;
}
