import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { frozenAudience } from '../../src/domain/broadcast/audience-frozen.ts';
import { unpackChats } from '../../src/domain/broadcast/packed-chats.ts';
import { audienceStream } from '../../src/domain/streams.ts';
import type { EventLog } from '../../src/log/port.ts';
import { openPostgresLog } from '../../src/log/postgres/postgres-log.ts';
import type { ResolverTask } from '../support/audience-resolver.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { ANY_CATEGORIES, newBot } from '../support/log.ts';

/** The OS process that resolves an audience is killed again and again; in the end each user is in the audience once. */

const CHATS = 115_000;

let database: TestDatabase;
let log: EventLog;
beforeAll(async () => {
  database = await createTestDatabase();
  // Resolving lists reads no table except the table of erased users.
  await database.pool.query('CREATE SCHEMA users; CREATE TABLE users.erased_users (bot_id int, user_id bigint)');
  log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
});
afterAll(async () => {
  await log?.close();
  await database?.drop();
});

/** Runs a resolver and kills it with -9 after `chunks` acknowledged chunks. @returns whether it finished */
async function resolve(task: ResolverTask, chunks: number): Promise<boolean> {
  const script = fileURLToPath(new URL('../support/audience-resolver.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text.split('\n').length - 1;
    if (seen >= chunks) child.kill('SIGKILL');
  });
  const [code] = await once(child, 'close');
  return code === 0;
}

it('an audience whose resolvers are killed is whole, and has no chat twice', async () => {
  const task: ResolverTask = { connectionString: database.url, bot: newBot(), broadcastId: 5, chats: CHATS };
  const stream = audienceStream(task.bot, task.broadcastId);
  expect(await resolve(task, 1)).toBe(false);
  expect((await log.read(stream)).commits.length).toBeGreaterThan(0);
  // Runs two resolvers at once and kills one of them half way.
  const [, survived] = await Promise.all([resolve(task, 2), resolve(task, Number.POSITIVE_INFINITY)]);
  expect(survived).toBe(true);

  const { commits } = await log.read(stream);
  const events = commits.flatMap((commit) => commit.events.map(frozenAudience.read));
  const chats = events.flatMap(({ type, data }) => (type === 'audience_chunk_frozen' ? unpackChats(data.chats) : []));
  expect(chats).toEqual(Array.from({ length: CHATS }, (_, index) => 2 * index + 1));
  expect(events.at(-1)).toEqual({ type: 'audience_closed', data: { broadcast_id: 5, count: CHATS } });
  expect(events.filter(({ type }) => type === 'audience_closed')).toHaveLength(1);
});
