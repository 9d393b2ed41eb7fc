import { pino } from 'pino';
import { ensureUnit } from '../../src/commands/catalog/units.ts';
import { createRule } from '../../src/commands/referral/change-rule.ts';
import { readConfig } from '../../src/config.ts';
import { account } from '../../src/domain/referral/account/account.ts';
import type { AccountEvent } from '../../src/domain/referral/account/state.ts';
import { accruals } from '../../src/processes/accruals/accrual-process.ts';
import { runProcesses } from '../../src/processes/run-processes.ts';
import { systemSources } from '../../src/util/system-sources.ts';
import { readAll } from './log.ts';
import { processed } from './processes.ts';
import { type ReferralCaller, referralCaller } from './referral.ts';
import type { TestBot, TestService } from './service.ts';

let users = 5000;
/** A user id that no other test uses. */
export const newUser = (): number => ++users;
/** When the referrals visited. */
export const VISIT = Date.parse('2026-01-15T10:00:00Z');

/** A bot with a unit and users, and functions that send it events of referrals. */
export interface RewardProgram {
  readonly bot: TestBot;
  readonly call: ReferralCaller;
  readonly usd: number;
  /** A new user that `referrer` referred at VISIT. */
  referral(referrer: number): Promise<number>;
  /** A rule on events named Order. */
  rule(fields: Partial<Parameters<typeof createRule>[1]>): Promise<number>;
  send(...events: object[]): Promise<void>;
}

export async function rewardProgram(service: TestService, timezone = 'UTC'): Promise<RewardProgram> {
  const bot = await service.createBot({ timezone });
  const call = referralCaller(service, bot);
  const send = async (...events: object[]): Promise<void> => {
    const body = events.map((event) => ({ event: 'Order', ...event }));
    const { status, body: answer } = await service.post('/v1/send-event', body, { 'api-key': bot.apiKey });
    if (status !== 200) throw new Error(JSON.stringify(answer));
  };
  // Event names get ids from 101 on, in the order of their arrival.
  await call.message(1);
  await send({ user_id: 1 });
  const { unit_id: unitId } = await ensureUnit(service.commands, bot.publicKey, 'USD');
  return {
    bot,
    call,
    usd: unitId,
    async referral(referrer) {
      const referred = newUser();
      await call.visit(referred, await call.codeFor(referrer), VISIT);
      return referred;
    },
    async rule(fields) {
      const rule = { trigger_event_id: 101, reward_type: 'fixed', amount: '5', percent: null, unit_id: null } as const;
      const created = { bot: bot.publicKey, name: 'Orders', hold_days: '0', ...rule, ...fields };
      return (await createRule(service.commands, created)).ruleId;
    },
    send,
  };
}

type Reward = AccountEvent & { readonly stream: string };

/** The events of the bot's accounts, after the process has decided on all rewards. */
export async function rewardsOf(service: TestService, { bot }: RewardProgram): Promise<Reward[]> {
  await processed(service, accruals.name);
  const commits = await readAll(service.log, { categories: ['account'] });
  return commits
    .filter(({ stream }) => stream.startsWith(`account-${bot.publicKey}/`))
    .flatMap(({ stream, events }) => events.map(account.read).map((event) => ({ ...event, stream })));
}

type DataByType = { readonly [E in AccountEvent as E['type']]: E['data'] };

/** The data of all events of a type. */
export function dataOf<T extends Reward['type']>(all: readonly Reward[], type: T): DataByType[T][] {
  const isOne = (reward: Reward): reward is Reward & { readonly data: DataByType[T] } => reward.type === type;
  return all.filter(isOne).map(({ data }) => data);
}

export const amountsOf = (all: readonly Reward[]): string[] =>
  dataOf(all, 'reward_accrued').map(({ amount }) => amount);

/**
 * Another instance processes all events from the first on, while the service runs.
 * @returns a function that waits until it is done, and stops it
 */
export function processAgain(service: TestService, instance: string): () => Promise<void> {
  const stop = new AbortController();
  const name = `accruals of ${instance}`;
  const { log, database } = service;
  const own = { config: readConfig({}), logger: pino({ level: 'silent' }), sources: systemSources };
  const running = runProcesses(
    { ...own, instance, log, pool: database.pool },
    [{ ...accruals, name, instances: 'all' }],
    stop.signal,
  );
  return async () => {
    await processed({ log, database }, name);
    stop.abort();
    await running;
  };
}
