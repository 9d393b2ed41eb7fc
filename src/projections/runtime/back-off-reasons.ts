import type { Pool } from 'pg';
import type { EventLog } from '../../log/port.ts';
import { schemaOf } from '../read-model.ts';
import { loadLeastCheckpoint } from './checkpoint.ts';
import { allVersions, isFollowed, type Version } from './versions.ts';

/** Answers are slower when their p99 is larger than this multiple of the quiet one, and by more than `SLOWER_MS`. */
const SLOWER = 1.2;
const SLOWER_MS = 1;
/** Live versions are late when they lag by more than this. */
const LATE_SECONDS = 2;
/** The time for which a measurement of an instance counts. */
const FRESH = '15 seconds';

/** Whether any version is being built. */
export async function isAnyBuilt(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM runtime.read_models WHERE state = 'building' AND NOT paused AND error IS NULL LIMIT 1`,
  );
  return rowCount === 1;
}

/**
 * Records the answers of an instance, for the builders of all instances.
 * @param times milliseconds; `quietP99`: while nothing was being built
 */
export async function saveAnswerTimes(
  pool: Pool,
  instance: string,
  { p99, quietP99 }: { readonly p99: number; readonly quietP99: number },
): Promise<void> {
  await pool.query(
    `WITH old AS (DELETE FROM runtime.answer_times WHERE measured_at < clock_timestamp() - interval '1 hour')
     INSERT INTO runtime.answer_times VALUES ($1, $2, $3, clock_timestamp())
     ON CONFLICT (instance) DO UPDATE SET p99 = $2, quiet_p99 = $3, measured_at = clock_timestamp()`,
    [instance, p99, quietP99],
  );
}

/**
 * Whether the build of a version should back off: clients get slower answers than without a build, or live versions are late.
 * Never if no other version of the read model answers, since then its clients wait for this one.
 */
export async function hasReasonToBackOff(
  pool: Pool,
  log: Pick<EventLog, 'lag'>,
  { name }: Pick<Version, 'name'>,
): Promise<boolean> {
  // A version that is not followed, or has stopped, is late for another reason.
  const followed: Version[] = [];
  for (const each of await allVersions(pool))
    if (each.state === 'live' && each.error === null && (await isFollowed(pool, each.name, each.version)))
      followed.push(each);
  if (!followed.some((live) => live.name === name)) return false;
  const { rowCount } = await pool.query(
    `SELECT FROM runtime.answer_times
      WHERE p99 > quiet_p99 * $1 AND p99 > quiet_p99 + $2 AND measured_at > clock_timestamp() - interval '${FRESH}' LIMIT 1`,
    [SLOWER, SLOWER_MS],
  );
  if (rowCount === 1) return true;
  const schemas = followed.map((live) => schemaOf(live.name, live.version));
  const { seconds } = await log.lag(await loadLeastCheckpoint(pool, schemas, []));
  return seconds > LATE_SECONDS;
}
