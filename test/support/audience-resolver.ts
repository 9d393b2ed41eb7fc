/**
 * Resolves an audience in a separate OS process. A test kills it. Reads one `ResolverTask` as JSON from its argument.
 * Prints `chunk` on stdout for each acknowledged chunk.
 */
import pg from 'pg';
import { resolveAudience } from '../../src/commands/broadcast/resolve-audience.ts';
import { parseSegmentations } from '../../src/domain/broadcast/audience-segmentations.ts';
import type { EventLog } from '../../src/log/port.ts';
import { openPostgresLog } from '../../src/log/postgres/postgres-log.ts';
import { audienceChats } from '../../src/queries/broadcast/audience-sql.ts';
import { systemSources } from '../../src/util/system-sources.ts';
import { ANY_CATEGORIES } from './log.ts';

export interface ResolverTask {
  readonly connectionString: string;
  readonly bot: string;
  readonly broadcastId: number;
  /** The audience is this many odd numbers, from 1 on. */
  readonly chats: number;
}

const { connectionString, bot, broadcastId, chats } = JSON.parse(process.argv[2]!) as ResolverTask;
const pool = new pg.Pool({ connectionString });
const log = await openPostgresLog({ connectionString, anyCategories: ANY_CATEGORIES });
const append: EventLog['append'] = async (commit) => {
  const appended = await log.append(commit);
  console.log('chunk');
  return appended;
};
const chat_ids = Array.from({ length: chats }, (_, index) => 2 * index + 1);
const list = { include: [{ type: 'list', config: { chat_ids } }] };
const options = { timezone: 'UTC', path: '', problems: [], segmentIds: null };
const segmentations = parseSegmentations(list, options);
// The audience consists of lists only, so that it reads no table except the table of erased users.
const tables = { users: 'users', events: '', referral: '', broadcasts: '', recipients: '' };
await resolveAudience(
  { log: { ...log, append }, sources: systemSources },
  { bot, broadcastId, chats: (from) => audienceChats(pool, segmentations, { botId: 1, tables, ...from }) },
);
await log.close();
await pool.end();
