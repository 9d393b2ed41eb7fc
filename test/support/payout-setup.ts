import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { createBot } from '../../src/commands/catalog/change-bot.ts';
import { createOwner } from '../../src/commands/catalog/change-owner.ts';
import { ensureUnit } from '../../src/commands/catalog/units.ts';
import type { CommandContext } from '../../src/commands/decide-and-append.ts';
import { createAccounts } from '../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../src/commands/referral/accrue-rewards.ts';
import { setPayoutWebhook } from '../../src/commands/referral/payout-webhook.ts';
import { requestPayout } from '../../src/commands/referral/payouts.ts';
import { readConfig } from '../../src/config.ts';
import { migrateRuntimeSchema } from '../../src/database/runtime-schema.ts';
import { account } from '../../src/domain/referral/account/account.ts';
import type { AccountEvent, Payout } from '../../src/domain/referral/account/state.ts';
import { ANY_CATEGORIES, accountStream } from '../../src/domain/streams.ts';
import type { EventLog } from '../../src/log/port.ts';
import { openPostgresLog } from '../../src/log/postgres/postgres-log.ts';
import type { Process } from '../../src/processes/process.ts';
import { migrateProcessesSchema } from '../../src/processes/process-states.ts';
import { runProcesses } from '../../src/processes/run-processes.ts';
import { accountsReadModel } from '../../src/projections/accounts/read-model.ts';
import { catalogReadModel } from '../../src/projections/catalog/read-model.ts';
import { runProjector, shareAmongProjectors } from '../../src/projections/runtime/projector.ts';
import { systemSources } from '../../src/util/system-sources.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

export interface PayoutSetup {
  readonly database: TestDatabase;
  readonly log: EventLog;
  readonly context: CommandContext;
  /** Moves the clock. It does not move by itself. */
  advance(ms: number): void;
  now(): number;
  /** A bot with a unit, and a webhook if an address is given. @returns its public key, unit and secret */
  bot(url?: string): Promise<{ readonly bot: string; readonly unitId: number; readonly secret: string | null }>;
  /** A payout of a reward that a new user of the bot has just earned. */
  payout(bot: string, unitId: number | null, amount?: string): Promise<PayoutName>;
  /** A reward of a user. */
  earn(bot: string, userId: number, unitId: number | null, amount: string, holdDays?: string): Promise<void>;
  /** The payout in the account's current state in the log. */
  payoutState(name: PayoutName): Promise<Payout>;
  events(bot: string, userId: number): Promise<AccountEvent[]>;
  /** Runs processes, with another log if one is given, until they are stopped. */
  run(
    processes: readonly Process[],
    env?: Record<string, string>,
    log?: EventLog,
    /** Whether `stopAll` stops them, too; false for processes that never end. */
    stopsWithAll?: boolean,
  ): () => Promise<void>;
  /** Stops all processes that run. */
  stopAll(): Promise<void>;
  close(): Promise<void>;
}

export interface PayoutName {
  readonly bot: string;
  readonly userId: number;
  readonly payoutId: number;
}

/** Bots, accounts and their read models, on a separate clock. A test runs the processes it needs. */
export async function payoutSetup(start = Date.UTC(2026, 0, 15, 12)): Promise<PayoutSetup> {
  const database = await createTestDatabase();
  const { pool } = database;
  await migrateRuntimeSchema(pool);
  await migrateProcessesSchema(pool);
  const log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
  const logger = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });
  let now = start;
  const sources = { ...systemSources, now: () => now };
  const context = { log, sources };
  const accounts = createAccounts(context);
  const stopping = new AbortController();
  const shared = shareAmongProjectors(pool, 'test', logger);
  const projecting = [catalogReadModel, accountsReadModel].map((model) =>
    runProjector({ model, log, ...shared, logger, onBadEvent: 'stop', signal: stopping.signal }),
  );
  const stops: (() => Promise<void>)[] = [];
  let users = 0;

  const setup: PayoutSetup = {
    database,
    log,
    context,
    advance: (ms) => {
      now += ms;
    },
    now: () => now,
    async bot(url) {
      const owner = { name: 'Owner', currency: 'USD', plan: 'premium' as const, broadcastsPerMonth: 1 };
      const { ownerId } = await createOwner(context, owner);
      const { publicKey } = await createBot(context, { ownerId, name: 'Bot' });
      const { unit_id: unitId } = await ensureUnit(context, publicKey, 'USD');
      const secret = url === undefined ? null : (await setPayoutWebhook(context, publicKey, url)).secret;
      return { bot: publicKey, unitId, secret };
    },
    async earn(bot, userId, unit_id, amount, hold_days = '0') {
      const rule = { rule_id: 1, reward_type: 'fixed' as const, amount, percent: null, unit_id, hold_days };
      const event = { commit_id: randomUUID(), index: 0, event_id: 101, date: now, received: now };
      // An account locks the amount of a rule, so each reward has its own rule.
      const rule_id = Number(event.commit_id.replaceAll(/\D/g, '').slice(0, 12)) + 1;
      const items = [{ rule: { ...rule, rule_id }, referral_id: 1_000_000, event: event }];
      await accrueRewards(accounts, { bot, referrer: userId, items });
    },
    async payout(bot, unitId, amount = '12.5') {
      const userId = ++users;
      await setup.earn(bot, userId, unitId, amount);
      const asked = { bot, userId, method: 'webhook' as const, initiated_by: 'api' as const };
      return { bot, userId, payoutId: (await requestPayout(accounts, asked)).payout_id };
    },
    payoutState: ({ bot, userId, payoutId }) =>
      accounts.view({ bot, userId }, (state) => ({ ...state.payouts.get(payoutId)! })),
    async events(bot, userId) {
      const { commits } = await log.read(accountStream(bot, userId));
      return commits.flatMap(({ events }) => events.map(account.read));
    },
    run(processes, env = {}, through = log, stopsWithAll = true) {
      const stop = new AbortController();
      const config = readConfig({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', ...env });
      const running = runProcesses(
        { log: through, pool, instance: randomUUID(), logger, config, sources },
        processes,
        stop.signal,
      );
      const stopped = async (): Promise<void> => {
        stop.abort();
        await running;
      };
      if (stopsWithAll) stops.push(stopped);
      return stopped;
    },
    async stopAll() {
      await Promise.all(stops.splice(0).map((stop) => stop()));
    },
    async close() {
      await setup.stopAll();
      stopping.abort();
      await Promise.all(projecting);
      await log.close();
      await database.drop();
    },
  };
  return setup;
}
