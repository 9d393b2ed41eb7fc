import type pg from 'pg';
import type { EventLog } from '../../log/port.ts';
import { loadLeastCheckpoint } from './checkpoint.ts';

/**
 * How far the read model that is furthest behind is behind the log end, in ms.
 * @param schemas of the read models
 * @param bots public keys of the bots whose rows are asked for: a quarantined bot is as late as its first commit that waits
 */
export async function readModelLagMs(
  log: EventLog,
  pool: pg.Pool,
  schemas: readonly string[],
  bots: readonly string[],
): Promise<number> {
  const { seconds } = await log.lag(await loadLeastCheckpoint(pool, schemas, bots));
  return Math.round(seconds * 1000);
}
