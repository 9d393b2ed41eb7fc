import type pg from 'pg';
import type { EventLog } from '../../log/port.ts';
import { loadLeastCheckpoint } from './checkpoint.ts';

/** How far the read model that is furthest behind is behind the log end, in ms. @param schemas of the read models */
export async function readModelLagMs(log: EventLog, pool: pg.Pool, schemas: readonly string[]): Promise<number> {
  const { seconds } = await log.lag(await loadLeastCheckpoint(pool, schemas));
  return Math.round(seconds * 1000);
}
