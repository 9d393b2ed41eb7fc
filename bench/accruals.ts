import pg from 'pg';
import { createRule } from '../src/commands/referral/change-rule.ts';
import { ANY_CATEGORIES } from '../src/domain/streams.ts';
import { hasPassedAll } from '../src/log/port.ts';
import { openPostgresLog } from '../src/log/postgres/postgres-log.ts';
import { accruals } from '../src/processes/accruals/accrual-process.ts';
import { loadPositions } from '../src/processes/process-states.ts';
import { eventsReadModel } from '../src/projections/events/read-model.ts';
import { servedProgress, waitForReadModels } from '../src/projections/runtime/wait-for-read-models.ts';
import { systemSources } from '../src/util/system-sources.ts';
import { stealLease } from '../test/support/steal-lease.ts';
import { ask, botOf, eventIdOf } from './ask.ts';
import { processorSeconds } from './proc.ts';
import { startBenchService, visit } from './service.ts';

/**
 * How fast stored events are rewarded: EVENTS of 1,000 referrals of REFERRERS among USERS users of the bot. Each event
 * earns by RULES rules, a percentage each. Also measures the processor time of the service: it depends less on other
 * load of the machine.
 *
 *   EVENTS=50000 REFERRERS=100 RULES=1 USERS=1000 npx tsx bench/accruals.ts
 */

const EVENTS = Number(process.env['EVENTS'] ?? 50_000);
const REFERRERS = Number(process.env['REFERRERS'] ?? 100);
const RULES = Number(process.env['RULES'] ?? 1);
const BOT_USERS = Number(process.env['USERS'] ?? 1000);
const BATCH = 1000;
const USERS = Array.from({ length: 1000 }, (_, index) => 900_000 + index);

const service = await startBenchService();
const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
const log = await openPostgresLog({ connectionString: service.databaseUrl, anyCategories: ANY_CATEGORIES });

function post(path: string, body: unknown): Promise<unknown> {
  return ask(service, path, body);
}

async function eventsProjected(): Promise<void> {
  if (
    !(await waitForReadModels([servedProgress(pool, eventsReadModel)], await log.endCursor(), { timeoutMs: 600_000 }))
  )
    throw new Error(`the read model ${eventsReadModel.name} does not catch up`);
}

async function caughtUp(): Promise<void> {
  const head = await log.endCursor();
  while (!hasPassedAll(await loadPositions(pool, accruals.name), head))
    await new Promise((resolve) => setTimeout(resolve, 20));
}

try {
  const bot = await botOf(service);
  // Each user comes by the code of a referrer.
  const code = (index: number): string => `code${index % REFERRERS}`;
  await post(
    '/v1/referral/set-code-owners',
    Array.from({ length: REFERRERS }, (_, index) => ({ code: code(index), user_id: 1 + index })),
  );
  await post(
    '/v1/send-batch-update',
    USERS.map((id, index) => visit(id, code(index))),
  );
  // These referrals send no events.
  for (let met = USERS.length; met < BOT_USERS; met += BATCH)
    await post(
      '/v1/send-batch-update',
      Array.from({ length: Math.min(BATCH, BOT_USERS - met) }, (_, i) => visit(USERS[0]! + met + i, code(met + i))),
    );
  await post('/v1/send-event', { event: 'Order', user_id: USERS[0] });
  await eventsProjected();
  const trigger_event_id = (await eventIdOf(service, 'Order'))!;
  const rule = { reward_type: 'percent', amount: null, percent: '2.9', unit_id: null, hold_days: '14' } as const;
  for (let n = 1; n <= RULES; n++)
    await createRule({ log, sources: systemSources }, { bot, name: `Orders ${n}`, trigger_event_id, ...rule });
  await caughtUp();

  // The process waits for the lease that this client holds.
  const giveBack = await stealLease(pool, `process ${accruals.name}`);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  for (let sent = 0; sent < EVENTS; sent += BATCH)
    await post(
      '/v1/send-event',
      Array.from({ length: Math.min(BATCH, EVENTS - sent) }, (_, i) => ({
        event: 'Order',
        user_id: USERS[(sent + i * 7) % USERS.length],
        value_num: 100 + (i % 50),
      })),
    );
  await eventsProjected();

  const [began, used] = [performance.now(), await processorSeconds([service.process.pid!])];
  await giveBack();
  await caughtUp();
  const seconds = (performance.now() - began) / 1000;
  const processor = (await processorSeconds([service.process.pid!])) - used;
  const { rows } = await pool.query(`SELECT count(*) FROM log.commits WHERE stream LIKE 'account-%'`);
  console.log(
    `${EVENTS} events by ${RULES} rules, ${BOT_USERS} users, ${REFERRERS} referrers, ${rows[0].count} commits: ${Math.round((EVENTS * RULES) / seconds)} rewards/s, ` +
      `${((processor / (EVENTS * RULES)) * 1e6).toFixed(0)} µs of the processor each, read models included`,
  );
} finally {
  await log.close();
  await pool.end();
  await service.stop();
}
