import { createRule } from '../../src/commands/referral/change-rule.ts';
import { accruals } from '../../src/processes/accruals/accrual-process.ts';
import { type BotApiServer, startBotApi } from '../support/bot-api-server.ts';
import { processed } from '../support/processes.ts';
import { type ReferralCaller, referralCaller } from '../support/referral.ts';
import { startTestService, type TestBot, type TestService } from '../support/service.ts';
import { type FaultyProxy, faultyProxy } from './faulty-proxy.ts';

/** The service with a proxy in front and a stand-in of the platform behind. */
export interface Surroundings {
  readonly service: TestService;
  readonly proxy: FaultyProxy;
  readonly platform: BotApiServer;
  stop(): Promise<void>;
}

export async function surroundings(): Promise<Surroundings> {
  const platform = await startBotApi();
  const service = await startTestService({ TELEGRAM_API_ROOT: platform.root });
  const proxy = await faultyProxy(service.address);
  return {
    service,
    proxy,
    platform,
    async stop() {
      await proxy.close();
      await service.stop();
      await platform.close();
    },
  };
}

/** A bot of one scenario. Its requests reach the service without the proxy. */
export interface Stage {
  readonly bot: TestBot;
  readonly call: ReferralCaller;
  /** The data of a GET. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  read(path: string): Promise<any>;
  /** How often each event was counted. */
  counts(): Promise<Readonly<Record<string, number>>>;
  /** Gives the bot one more rule, of a fixed `amount`, and makes user 1 the referrer of users who earn it. */
  earn(amount: string, referrals?: number): Promise<void>;
}

export async function stageOf({ service }: Surroundings): Promise<Stage> {
  const bot = await service.createBot({ token: '123:conformance' });
  const call = referralCaller(service, bot);
  async function read(path: string) {
    const { status, body } = await service.get(path, { 'api-key': bot.apiKey });
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body.data;
  }
  async function order(...userIds: number[]): Promise<void> {
    const events = userIds.map((user_id) => ({ event: 'Order', user_id }));
    const { status, body } = await service.post('/v1/send-event', events, { 'api-key': bot.apiKey });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
  await call.message(1);
  await call.message(2);
  let nextUser = 100;
  return {
    bot,
    call,
    read,
    async counts() {
      await service.projected();
      const { items } = (await read('/v1/reports/events')) as { items: { name: string; count: number }[] };
      return Object.fromEntries(items.map(({ name, count }) => [name, count]));
    },
    async earn(amount, referrals = 1) {
      await order(1);
      await service.projected();
      const { items } = (await read('/v1/reports/events')) as { items: { event_id: number; name: string }[] };
      const trigger_event_id = items.find(({ name }) => name === 'Order')!.event_id;
      const rule = { bot: bot.publicKey, name: 'Orders', trigger_event_id, reward_type: 'fixed', amount } as const;
      await createRule(service.commands, { ...rule, percent: null, unit_id: null, hold_days: '0' });
      const code = await call.codeFor(1);
      const users = Array.from({ length: referrals }, () => nextUser++);
      for (const user of users) await call.visit(user, code);
      await order(...users);
      await processed(service, accruals.name);
      await service.projected();
    },
  };
}
