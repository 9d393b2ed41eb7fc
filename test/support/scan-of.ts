import { openArrayPool } from '../../src/columns/array-pool.ts';
import type { EventSource } from '../../src/columns/event-source.ts';
import { NO_MEMBERS } from '../../src/queries/reports/field-sql.ts';
import type { Scan } from '../../src/queries/reports/scan.ts';

/** A scan that needs no database: `each` gives the events. */
export function scanOf(users: number, each: EventSource['each']): Scan {
  return {
    botId: 1,
    tables: { events: 'e', users: 'u', referral: 'r' },
    query: () => Promise.reject(new Error('no query is expected')),
    copy: () => Promise.reject(new Error('no COPY is expected')),
    users,
    userColumns: { of: async () => null },
    dictionaries: { of: () => null },
    utms: [],
    members: NO_MEMBERS,
    events: { users, each },
    arrays: openArrayPool(),
  };
}
