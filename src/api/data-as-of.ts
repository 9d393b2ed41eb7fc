import type pg from 'pg';
import { isoWithOffset } from '../domain/local-time.ts';
import type { Sources } from '../domain/sources.ts';
import type { EventLog } from '../log/port.ts';
import { readModelLagMs } from '../projections/runtime/read-model-lag.ts';

/**
 * Finds the time up to which all of these schemas have applied all received data of a bot, as ISO 8601 in the bot's time zone. Call it
 * before the rows are read: they are then at least this fresh.
 */
export type DataAsOf = (
  schemas: readonly string[],
  bot: { readonly public_key: string; readonly timezone: string },
) => Promise<string>;

export function dataAsOf(pool: pg.Pool, log: EventLog, { now }: Pick<Sources, 'now'>): DataAsOf {
  return async (schemas, { public_key, timezone }) => {
    const time = now();
    return isoWithOffset(time - (await readModelLagMs(log, pool, schemas, [public_key])), timezone);
  };
}
