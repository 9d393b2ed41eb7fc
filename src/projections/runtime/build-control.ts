import type { Pool } from 'pg';
import type { Version } from './versions.ts';

/**
 * How a version is built: columns of its row, so the control holds for each OS process that builds the version, and a row
 * for each builder.
 */

/** The speed of one builder, or of all builders of a version together. */
export interface BuildSpeed {
  /** Applied events a second, over the last minute at most. */
  readonly eventsPerSecond: number;
  /** Estimated seconds until the version has caught up; null: unknown. */
  readonly secondsLeft: number | null;
}

/** A build as its builders have measured it. */
export interface MeasuredBuild {
  /** Null: not known yet. */
  readonly eventsPerSecond: BuildSpeed['eventsPerSecond'] | null;
  readonly secondsLeft: BuildSpeed['secondsLeft'];
  /** Whether one of its builders backs off now. */
  readonly backsOff: boolean;
  /** The number of projectors that build it now: of instances, jobs and commands. */
  readonly builders: number;
}

/** A change of the control; what is absent stays. */
export interface BuildChange {
  readonly paused?: boolean | undefined;
  /** Events a second; null: no limit. */
  readonly maxRate?: number | null | undefined;
}

type Key = Pick<Version, 'name' | 'version'>;

/** A builder measures every `MEASURE_EVERY_MS`. One that has not measured for longer does not count. */
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

/**
 * Records what a builder has measured, in place of what others have measured of the same units.
 * @param units the numbers of its units; none: it builds the whole version
 */
export async function saveMeasured(
  pool: Pool,
  { name, version }: Key,
  units: readonly number[],
  { eventsPerSecond, secondsLeft, backsOff }: Omit<MeasuredBuild, 'builders'>,
): Promise<void> {
  const unit = units.length === 0 ? 0 : Math.min(...units);
  await pool.query(
    `WITH others AS (DELETE FROM runtime.builders
                      WHERE name = $1 AND version = $2 AND unit <> $3 AND ($4::int[] = '{}' OR unit = ANY ($4)))
     INSERT INTO runtime.builders VALUES ($1, $2, $3, $5, $6, $7, clock_timestamp())
     ON CONFLICT (name, version, unit)
     DO UPDATE SET events_per_second = $5, seconds_left = $6, backs_off = $7, measured_at = clock_timestamp()`,
    [name, version, unit, units, eventsPerSecond, secondsLeft, backsOff],
  );
}

/** Removes what a builder has measured of its units: it has built them. */
export async function removeMeasured(pool: Pool, { name, version }: Key, units: readonly number[]): Promise<void> {
  await pool.query('DELETE FROM runtime.builders WHERE name = $1 AND version = $2 AND unit = ANY ($3)', [
    name,
    version,
    units,
  ]);
}

/** A build as its builders have measured it last; null: none works. */
export async function loadMeasured(pool: Pool, { name, version }: Key): Promise<MeasuredBuild | null> {
  const { rows } = await pool.query<MeasuredBuild>(
    `SELECT CASE WHEN count(*) = count(b.events_per_second) THEN sum(b.events_per_second) END AS "eventsPerSecond",
            CASE WHEN count(*) = count(b.seconds_left) THEN max(b.seconds_left) END AS "secondsLeft",
            bool_or(b.backs_off) AS "backsOff", count(*)::int AS builders
       FROM runtime.builders AS b JOIN runtime.read_models USING (name, version)
      WHERE name = $1 AND version = $2 AND state = 'building' AND NOT paused
        AND b.measured_at > clock_timestamp() - interval '${SILENT}'
     HAVING count(*) > 0`,
    [name, version],
  );
  return rows[0] ?? null;
}
