import { openArrayPool } from '../../columns/array-pool.ts';
import { indexesOf, numbersOf } from '../../columns/chunk.ts';
import { firstFrom } from '../../columns/positions.ts';
import type { Snapshot } from '../../database/snapshot.ts';
import type { Performed } from '../../domain/broadcast/audience.ts';
import { fieldsOf } from '../../domain/condition/condition.ts';
import { type ChunkCache, TOO_LARGE } from '../reports/chunk-cache.ts';
import { eventFilterOf } from '../reports/conditions.ts';
import type { ReportTables } from '../reports/field-sql.ts';
import { openScan } from '../reports/scan.ts';
import { ALWAYS, NEVER } from '../reports/stored-events.ts';
import type { PerformedUsers, UsersSource } from './audience-users-sql.ts';

const DAY_MS = 86_400_000;

/**
 * Finds the users of conditions on events, by one scan of the packed events: a query over their rows took ten times as
 * long. The caller negates.
 * @param cache of the columns; default: none
 */
export async function performedUsers(
  performed: readonly Performed[],
  { botId, tables, asOf }: Pick<UsersSource, 'botId' | 'asOf'> & { readonly tables: ReportTables },
  snapshot: Snapshot,
  cache: ChunkCache = NO_CACHE,
): Promise<PerformedUsers> {
  const found = new Map<Performed, Buffer>();
  if (performed.length === 0) return found;
  const sinceOf = ({ periodDays }: Performed) =>
    periodDays === 0 ? ALWAYS : Math.max(ALWAYS, asOf - periodDays * DAY_MS);
  const span = { from: Math.min(...performed.map(sinceOf)), to: NEVER };
  const arrays = openArrayPool();
  try {
    const fields = performed.flatMap(({ condition }) => (condition === null ? [] : fieldsOf(condition)));
    const scan = await openScan({ botId, tables, span, snapshot, cache, arrays }, fields);
    const filters: Filter[] = [];
    for (const each of performed) {
      const users = Buffer.alloc(Math.ceil(scan.users / 8));
      found.set(each, users);
      const selection = { eventId: each.eventId, filter: each.condition };
      filters.push({ users, since: sinceOf(each), ...(await eventFilterOf(selection, null, scan)) });
    }
    await scan.events.each(['user_idx', ...filters.flatMap(({ columns }) => columns)], (chunk, begin, end) => {
      const dates = numbersOf(chunk, 'date');
      const indexes = indexesOf(chunk, 'user_idx');
      for (const { users, since, positionsIn } of filters) {
        const positions = positionsIn(chunk, Math.max(begin, firstFrom(dates, since)), end);
        for (let i = 0; i < positions.length; i++) {
          const user = indexes[positions[i]!]!;
          users[user >>> 3]! |= 1 << (user & 7);
        }
      }
    });
  } finally {
    arrays.close();
  }
  return found;
}

interface Filter extends Awaited<ReturnType<typeof eventFilterOf>> {
  readonly users: Buffer;
  /** Ms UTC. */
  readonly since: number;
}

/**
 * For questions about audiences. They are asked once. To keep the columns for the next would take memory that reports
 * need.
 */
export const NO_CACHE: ChunkCache = {
  get: () => undefined,
  set: () => {},
  utms: () => undefined,
  setUtms: () => {},
  kept: () => TOO_LARGE,
  keep: () => {},
  dictionary: () => null,
  hit: () => {},
  use: { hits: 0, misses: 0, bytes: 0 },
};
