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

/** A build as its builder has measured it. */
export interface MeasuredBuild {
  /** Null: not known yet. */
  readonly eventsPerSecond: BuildSpeed['eventsPerSecond'] | null;
  readonly secondsLeft: BuildSpeed['secondsLeft'];
  /** Whether it backs off now. */
  readonly backsOff: boolean;
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

/** Records what a builder has measured. @param speed null: it is not known yet */
export async function saveMeasured(
  pool: Pool,
  { name, version }: Key,
  speed: BuildSpeed | null,
  backsOff: boolean,
): Promise<void> {
  await pool.query(
    `UPDATE runtime.read_models SET events_per_second = $3, seconds_left = $4, backs_off = $5, measured_at = clock_timestamp()
      WHERE name = $1 AND version = $2`,
    [name, version, speed?.eventsPerSecond ?? null, speed?.secondsLeft ?? null, backsOff],
  );
}

/** A build as its builder has measured it last; null: no builder works. */
export async function loadMeasured(pool: Pool, { name, version }: Key): Promise<MeasuredBuild | null> {
  const { rows } = await pool.query<MeasuredBuild>(
    `SELECT events_per_second AS "eventsPerSecond", seconds_left AS "secondsLeft", backs_off AS "backsOff"
       FROM runtime.read_models
      WHERE name = $1 AND version = $2 AND state = 'building' AND NOT paused
        AND measured_at > clock_timestamp() - interval '${SILENT}'`,
    [name, version],
  );
  return rows[0] ?? null;
}
