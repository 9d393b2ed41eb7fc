import { advanceBroadcast } from '../../src/commands/broadcast/change-broadcast.ts';
import { resolveAudience } from '../../src/commands/broadcast/resolve-audience.ts';
import { createBot } from '../../src/commands/catalog/change-bot.ts';
import { issueKey } from '../../src/commands/catalog/keys.ts';
import { createUnit } from '../../src/commands/catalog/units.ts';
import { createAccounts } from '../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../src/commands/referral/accrue-rewards.ts';
import { createRule } from '../../src/commands/referral/change-rule.ts';
import { freezeAudience, startResolution } from '../../src/domain/broadcast/broadcast-steps.ts';
import { item } from './account-samples.ts';
import { launch, TOKEN } from './broadcasts.ts';
import { sampleReports } from './sample-reports.ts';
import type { TestService } from './service.ts';

/** A bot with one thing of every kind that requests name by an id. */

export interface Things {
  readonly bot: string;
  readonly user: number;
  readonly event: number;
  readonly unit: number;
  readonly rule: number;
  readonly accrual: number;
  readonly payout: number;
  readonly key: number;
  readonly report: string;
  /** Its audience is frozen. */
  readonly broadcast: number;
  readonly draft: number;
  /** Uploaded for the draft. */
  readonly list: number;
  readonly savedSegment: number;
  readonly code: string;
}
export type Kind = keyof Things;

export interface BotOfOwner {
  readonly publicKey: string;
  readonly ownerId: number;
  /** An owner key only for this bot. */
  readonly apiKey: string;
  readonly webhookSecret: string;
}

/** Creates a bot of the owner, and a key that reaches only this bot. */
export async function botOf(service: TestService, ownerId: number): Promise<BotOfOwner> {
  const { commands } = service;
  const { publicKey, webhookSecret } = await createBot(commands, { ownerId, name: 'Bot', token: TOKEN });
  const key = { ownerId, bots: [publicKey], kind: 'owner', name: null, expiresAt: null } as const;
  const { apiKey } = await issueKey(commands, key);
  await service.projected();
  return { publicKey, ownerId, apiKey, webhookSecret };
}

/** Creates and activates a broadcast and freezes its audience. @returns its id */
export async function frozenBroadcast(
  { commands }: Pick<TestService, 'commands'>,
  bot: { readonly publicKey: string; readonly ownerId: number },
): Promise<number> {
  const id = await launch({ commands }, bot, { chats: [1, 2, 3] });
  const chats = async function* () {
    yield [1, 2, 3];
  };
  const name = { bot: bot.publicKey, id };
  await advanceBroadcast(commands, name, startResolution);
  const { count } = await resolveAudience(commands, { bot: bot.publicKey, broadcastId: id, chats });
  await advanceBroadcast(commands, name, (state, now) => freezeAudience(state, count, now));
  return id;
}

/**
 * @param user of the bot, and of no other
 * @param events how many event names the bot knows: the ids of a bot's names begin at the same number
 */
export async function fillBot(service: TestService, bot: BotOfOwner, user: number, events: number): Promise<Things> {
  const send = async (path: string, body: unknown) => {
    const { status, body: answer } = await service.post(`/v1/${path}`, body, { 'api-key': bot.apiKey });
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
    return answer.data;
  };
  await send('send-update', { update: started(user) });
  await send(
    'send-event',
    Array.from({ length: events }, (_, n) => ({ event: `event ${n}`, user_id: user })),
  );
  await service.projected();
  const known = (await service.get('/v1/reports/events', { 'api-key': bot.apiKey })).body.data;
  const audience = { include: [{ type: 'all', config: {} }] };
  const draft = (
    await send('broadcast/create', { type: 'sendMessage', message: { text: 'Hello' }, segmentations: audience })
  ).id;
  const conditions = { user_conditions: ['=', 'users.is_premium', true] };
  const things = {
    bot: bot.publicKey,
    user,
    event: lastIdIn(known),
    key: (await send('settings/keys/issue', { bots: [bot.publicKey], kind: 'service' })).key_id,
    report: (await send('reports/save', { name: 'Totals', report_config: sampleReports()['totals'] })).uuid,
    broadcast: await frozenBroadcast(service, bot),
    draft,
    list: (await send('broadcast/upload-segment', { task_id: draft, chat_ids: [user] })).segment_id,
    savedSegment: (await send('saved-segments/save', { name: 'Premium', conditions })).saved_segment_id,
    code: (await send('referral/create-code', { user_id: user })).code,
    ...(await fillMoney(service, bot, user, send)),
  };
  await service.projected();
  return things;
}

/** A rule in a unit of the bot, a payout of one accrual, and another accrual that is available. */
async function fillMoney(
  { commands }: TestService,
  { publicKey: bot }: BotOfOwner,
  user: number,
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  send: (path: string, body: unknown) => Promise<any>,
): Promise<Pick<Things, 'unit' | 'rule' | 'accrual' | 'payout'>> {
  const { unitId: unit } = await createUnit(commands, { bot, code: 'GEM', name: 'Gems', scale: 0 });
  const fixed = { name: 'Gift', trigger_event_id: 1, reward_type: 'fixed', amount: '5', percent: null } as const;
  const { ruleId: rule } = await createRule(commands, { bot, ...fixed, unit_id: unit, hold_days: '0' });
  const accounts = createAccounts(commands);
  const at = commands.sources.now();
  const earn = (index: number) => {
    const earned = item(index, { rule: { rule_id: rule, unit_id: unit } });
    const items = [{ ...earned, event: { ...earned.event, date: at, received: at } }];
    return accrueRewards(accounts, { bot, referrer: user, items });
  };
  await earn(0);
  const { payout_id: payout } = await send('referral/payout', { user_id: user, method: 'manual' });
  await earn(1);
  const accruals = await accounts.view({ bot, userId: user }, ({ open }) => [...open.accruals.keys()]);
  return { unit, rule, payout, accrual: accruals.at(-1)! };
}

function lastIdIn(known: unknown): number {
  const ids = [...JSON.stringify(known).matchAll(/"event_id":(\d+)/g)].map(([, id]) => Number(id));
  return Math.max(...ids);
}

function started(id: number): object {
  const from = { id, is_bot: false, first_name: `User ${id}` };
  const message = { message_id: 1, date: Math.floor(Date.now() / 1000), chat: { id, type: 'private' }, from };
  return { update_id: id, message: { ...message, text: 'hello' } };
}
