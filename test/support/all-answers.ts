import { expect, vi } from 'vitest';
import { advanceBroadcast } from '../../src/commands/broadcast/change-broadcast.ts';
import { changeBot } from '../../src/commands/catalog/change-bot.ts';
import { createGoal } from '../../src/commands/catalog/create-goal.ts';
import { issueKey, revokeKey } from '../../src/commands/catalog/keys.ts';
import { setExchangeRates } from '../../src/commands/catalog/set-exchange-rates.ts';
import { createUnit } from '../../src/commands/catalog/units.ts';
import { failBroadcast } from '../../src/domain/broadcast/broadcast-steps.ts';
import { TOKEN } from './broadcasts.ts';
import { fillAccount, REFERRER } from './fill-accounts.ts';
import { fillSettings } from './fill-settings.ts';
import { onceFree } from './once-free.ts';
import { PROPERTIES_REPORT, sampleReports } from './sample-reports.ts';
import type { Send } from './send.ts';
import { type Answer, startTestInstance, type TestBot, type TestService } from './service.ts';

/** Fills a service with data, and collects every kind of answer that it gives, to compare answers before and after. */

export type Answers = Readonly<Record<string, Pick<Answer, 'status' | 'body'>>>;

export interface FilledBots {
  readonly bot: TestBot;
  readonly free: TestBot;
  /** A key that was revoked. */
  readonly revoked: string;
  /** Uuids of a saved report, and of one that was deleted. */
  readonly report: string;
  readonly deletedReport: string;
  /** Ids of a saved segment, and of one that was deleted. */
  readonly savedSegment: number;
  readonly deletedSegment: number;
  /** Id of a reversed accrual. */
  readonly reversed: number;
  /** A draft with an uploaded list, one that is scheduled, and one that failed. */
  readonly draft: number;
  readonly scheduled: number;
  readonly failed: number;
  /** All requests that the bot sent, with their answers. */
  readonly writes: readonly Write[];
}

/** A request with an Idempotency-Key, and its answer. */
export interface Write {
  /** With the query of a GET. */
  readonly path: string;
  /** Absent: it was a GET. */
  readonly body: object | undefined;
  readonly key: string;
  readonly answer: object;
}

const EVERY_USER = { segmentations: { include: [{ type: 'all', config: {} }] } };
const BUYERS = { event_filters: ['performed_event', { conditions: ['>', 'events.value_amount', 1] }] };
const audienceOf = (saved_segment_id: number) => ({
  segmentations: { include: [{ type: 'saved', config: { saved_segment_id } }] },
});
const reportOf = (saved_segment_id: number): object => {
  const { totals } = sampleReports() as { totals: { source_request: object } };
  const filters = ['=', `user.saved_segments.${saved_segment_id}`, true];
  return { ...totals, source_request: { ...totals.source_request, filters } };
};
const NO_PAYOUT = { payout_id: 404_404, reason: 'None' };
const PROPERTIES = { plan: 'pro', items: 3, gift: true };
const GREETING = { type: 'sendMessage', message: { text: 'Hello, {{user.first_name}}' }, user_id: 1 };

/** One answer of each kind: found, not found, refused, for each kind of key. The requests change nothing. */
export async function allAnswers(address: string, filled: FilledBots): Promise<Answers> {
  const { bot, free, revoked, report, deletedReport, savedSegment, deletedSegment, reversed } = filled;
  const [{ draft, scheduled, failed }, { apiKey }] = [filled, bot];
  const ask = (at: string, path: string, key: string | null, body?: object, more: object = {}) =>
    request(at + path, { ...(key === null ? {} : { 'api-key': key }), ...more }, body);
  const event = { event: 'viewed', user_id: 0 };
  const questions: Record<string, () => Promise<Answer>> = {
    resources: () => ask(address, '/v1/reports/resources', apiKey),
    events: () => ask(address, '/v1/reports/events', apiKey),
    fields: () => ask(address, '/v1/reports/event-fields', apiKey),
    eventProperties: () => ask(address, '/v1/reports/event-properties', apiKey),
    userFields: () => ask(address, '/v1/reports/user-fields', apiKey),
    newUsers: () =>
      ask(address, '/v1/reports/new-users?date_from=2026-02-01%2000:00:00&date_to=2026-02-02%2023:59:59', apiKey),
    cellUsers: () => ask(address, '/v1/reports/users', apiKey, { uuid: report, cell: { series: 0 } }),
    utmLabels: () => ask(address, '/v1/reports/utm-labels', apiKey),
    savedReports: () => ask(address, '/v1/reports/list', apiKey),
    savedReport: () => ask(address, `/v1/reports/get?uuid=${report}`, apiKey),
    deletedReport: () => ask(address, `/v1/reports/get?uuid=${deletedReport}`, apiKey),
    savedReportRun: () => ask(address, '/v1/reports/run', apiKey, { uuid: report }),
    savedReportAsCsv: () => ask(address, '/v1/reports/run', apiKey, { uuid: report, format: 'csv' }),
    savedSegments: () => ask(address, '/v1/saved-segments/list', apiKey),
    savedSegment: () => ask(address, `/v1/saved-segments/get?saved_segment_id=${savedSegment}`, apiKey),
    deletedSegment: () => ask(address, `/v1/saved-segments/get?saved_segment_id=${deletedSegment}`, apiKey),
    referrers: () => ask(address, '/v1/referral/referrers', apiKey),
    allPayouts: () => ask(address, '/v1/referral/all-payouts', apiKey),
    searchedReferrers: () => ask(address, '/v1/referral/referrers?search=10', apiKey),
    referralTotals: () => ask(address, '/v1/referral/totals', apiKey),
    entries: () => ask(address, `/v1/referral/entries?user_id=${REFERRER}`, apiKey),
    statementOfNobody: () => onceFree(() => ask(address, '/v1/referral/statement?user_id=404', apiKey)),
    proofWithProofsOff: () => ask(address, `/v1/referral/proof?user_id=${REFERRER}`, apiKey),
    chain: () => ask(address, `/v1/referral/chain?user_id=${REFERRER}`, apiKey),
    program: () => ask(address, '/v1/referral/program', apiKey),
    codes: () => ask(address, '/v1/referral/codes?user_id=1', apiKey),
    referrals: () => ask(address, '/v1/referral/referrals?user_id=1', apiKey),
    marked: () => ask(address, '/v1/referral/mark-referral', apiKey, { referral_user_id: 2, referrer_user_id: 3 }),
    badMark: () => ask(address, '/v1/referral/mark-referral', apiKey, { referral_user_id: 2, referrer_user_id: 2 }),
    balance: () => ask(address, `/v1/referral/balance?user_id=${REFERRER}`, apiKey),
    balanceOfNobody: () => ask(address, '/v1/referral/balance?user_id=404', apiKey),
    payouts: () => ask(address, `/v1/referral/payouts?user_id=${REFERRER}`, apiKey),
    accruals: () => ask(address, `/v1/referral/accruals?user_id=${REFERRER}`, apiKey),
    rates: () => ask(address, `/v1/referral/rates?user_id=${REFERRER}`, apiKey),
    history: () => ask(address, `/v1/referral/history?user_id=${REFERRER}`, apiKey),
    noBalance: () => ask(address, '/v1/referral/payout', apiKey, { user_id: REFERRER }),
    reversedTwice: () => ask(address, '/v1/referral/reverse-accrual', apiKey, { accrual_id: reversed }),
    unknownCode: () => ask(address, '/v1/referral/mark-referral', apiKey, { referral_user_id: 9, code: 'unknown' }),
    broadcasts: () => ask(address, '/v1/broadcast/list', apiKey),
    orderedBroadcasts: () => ask(address, '/v1/broadcast/list?filters[name]=SALE&orders[name]=asc&limit=2', apiKey),
    draft: () => ask(address, `/v1/broadcast/get?id=${draft}`, apiKey),
    scheduled: () => ask(address, `/v1/broadcast/get?id=${scheduled}`, apiKey),
    failed: () => ask(address, `/v1/broadcast/get?id=${failed}`, apiKey),
    savedTooLate: () => ask(address, '/v1/broadcast/save', apiKey, { id: failed, name: 'Late' }),
    recipients: () => ask(address, `/v1/broadcast/recipients?id=${failed}`, apiKey),
    statistics: () => ask(address, `/v1/broadcast/statistics?id=${failed}`, apiKey),
    conversions: () => ask(address, '/v1/broadcast/conversions', apiKey, { task_id: failed, event_id: 1, days: 3 }),
    broadcastFields: () => ask(address, '/v1/broadcast/fields', apiKey),
    audienceSize: () => ask(address, '/v1/broadcast/audience-size', apiKey, EVERY_USER),
    savedAudience: () => ask(address, '/v1/broadcast/audience-size', apiKey, audienceOf(savedSegment)),
    reportOfSegment: () => ask(address, '/v1/reports/run', apiKey, { report_config: reportOf(savedSegment) }),
    reportOfNone: () => ask(address, '/v1/reports/run', apiKey, { report_config: reportOf(deletedSegment) }),
    audienceOfNone: () => ask(address, '/v1/broadcast/audience-size', apiKey, audienceOf(deletedSegment)),
    messagePreview: () => ask(address, '/v1/broadcast/preview', apiKey, GREETING),
    testSendToNoChat: () => ask(address, '/v1/broadcast/test-send', apiKey, GREETING),
    unknownBroadcast: () => ask(address, '/v1/broadcast/cancel', apiKey, { id: 404_404 }),
    settingsOfBots: () => ask(address, '/v1/settings/bots', apiKey),
    settingsOfKeys: () => ask(address, '/v1/settings/keys', apiKey),
    settingsOfPlan: () => ask(address, '/v1/settings/plan', apiKey),
    settingsOfGoals: () => ask(address, '/v1/settings/goals', apiKey),
    settingsOfUnits: () => ask(address, '/v1/settings/units', apiKey),
    settingsOfRates: () => ask(address, '/v1/settings/exchange-rates', apiKey),
    settingsOfRules: () => ask(address, '/v1/settings/rules', apiKey),
    settingsOfWebhook: () => ask(address, '/v1/settings/webhook', apiKey),
    settingsOfDeliveries: () => ask(address, '/v1/settings/webhook/deliveries', apiKey),
    // The key is for one bot.
    botBeyondTheKey: () => ask(address, '/v1/settings/bots/create', apiKey, { name: 'Second' }),
    unknownRedelivery: () => ask(address, '/v1/settings/webhook/redeliver', apiKey, { payout_id: 404_404 }),
    errors: () => ask(address, '/v1/bot-errors', apiKey),
    latestEvents: () => ask(address, '/v1/events/latest?limit=5', apiKey),
    usersOfBot: () => ask(address, '/v1/users/list?limit=5', apiKey),
    userOfBot: () => ask(address, '/v1/users/get?user_id=1', apiKey),
    broadcastsOfUser: () => ask(address, '/v1/users/broadcasts?user_id=1', apiKey),
    errorsOfAnother: () => ask(address, '/v1/bot-errors', free.apiKey),
    badEvent: () => ask(address, '/v1/send-event', apiKey, event),
    badTarget: () => ask(address, '/v1/send-target', apiKey, { target_id: 9, user_id: 1 }),
    noKey: () => ask(address, '/v1/reports/events', null),
    wrongKey: () => ask(address, '/v1/reports/events', `${apiKey}x`),
    revokedKey: () => ask(address, '/v1/reports/events', revoked),
    unknownBot: () => ask(address, '/v1/reports/events', apiKey, undefined, { 'resource-key': 'unknown' }),
    foreignBot: () => ask(address, '/v1/reports/events', apiKey, undefined, { 'resource-key': free.publicKey }),
    noPremium: () => ask(address, '/v1/reports/events', free.apiKey),
    wrongSecret: () => ask(address, `/v1/webhook/${bot.publicKey}`, null, { update_id: 1 }, secret('wrong')),
    rightSecret: () => ask(address, `/v1/webhook/${bot.publicKey}`, null, { update_id: 1 }, secret(bot.webhookSecret)),
  };
  const reports = { ...sampleReports(), properties: PROPERTIES_REPORT };
  for (const action of ['confirm', 'fail', 'cancel', 'retry'])
    questions[`${action} of no payout`] = () => ask(address, `/v1/referral/payouts/${action}`, apiKey, NO_PAYOUT);
  for (const kind of ['events', 'users', 'accruals', 'recipients'])
    questions[`exported ${kind}`] = () => onceFree(() => ask(address, `/v1/export/${kind}?format=csv`, apiKey));
  for (const [name, report_config] of Object.entries(reports))
    questions[name] = () => ask(address, '/v1/reports/preview', apiKey, { report_config });
  const given: Record<string, Pick<Answer, 'status' | 'body'>> = {};
  for (const [name, question] of Object.entries(questions)) {
    const { status, body } = await question();
    given[name] = { status, body: timeless(body) };
  }
  return given;
}

/** Sends all writes again, and returns them with their new answers. */
export async function repeatAll(address: string, { bot, writes }: FilledBots): Promise<Write[]> {
  const repeated: Write[] = [];
  for (const { path, body, key } of writes) {
    const headers = { 'api-key': bot.apiKey, 'idempotency-key': key };
    const answer = (await request(`${address}/v1/${path}`, headers, body)).body;
    repeated.push({ path, body, key, answer });
  }
  return repeated;
}

/** Starts an instance on this environment, and collects its answers. */
export async function answersOf(env: Readonly<Record<string, string>>, filled: FilledBots): Promise<Answers> {
  const instance = await startTestInstance(env);
  try {
    // Reports answer 503 until their read models are built.
    for (;;) {
      const answers = await allAnswers(instance.address, filled);
      if (Object.values(answers).every(({ status }) => status !== 503)) return answers;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } finally {
    await instance.stop();
  }
}

/** Writes users, visits, goals, units, rates, changed settings, and bot errors of which some are resolved. */
export async function fillService(service: TestService): Promise<FilledBots> {
  const { commands } = service;
  const bot = await service.createBot({ timezone: 'Europe/Berlin', token: TOKEN, kind: 'owner' });
  const free = await service.createBot({ plan: 'free', kind: 'service' });
  const writes: Write[] = [];
  const send: Send = async (path, body) => {
    const key = `write ${writes.length}`;
    const headers = { 'api-key': bot.apiKey, 'idempotency-key': key };
    const answer = await request(`${service.address}/v1/${path}`, headers, body);
    expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBe(200);
    writes.push({ path, body, key, answer: withoutSecrets(answer.body) });
    return answer.body;
  };
  const save = async (name: string, report_config: object | undefined, more: object = {}): Promise<string> =>
    (await send('reports/save', { name, report_config, ...more })).data.uuid;
  await createGoal(commands, { bot: bot.publicKey, targetId: 5, name: 'Sign-up' });
  await createUnit(commands, { bot: bot.publicKey, code: 'GEM', name: 'Gems', scale: 1 });
  await setExchangeRates(commands, [{ from: 'EUR', to: 'USD', rate: '1.1', date: '2025-01-15' }]);
  for (const id of [1, 2, 3]) await send('send-update', { update: start(id, `utmsource-ads${id}`) });
  await send('send-event', [
    { event: 'ordered', user_id: 1, value_num: 1999, unit: 'EUR', date: '2026-03-01T10:00:00Z', event_key: 'order-1' },
    { event: 'ordered', user_id: 2, value_num: 25, unit: 'GEM', date: '2026-03-01T23:30:00Z', properties: PROPERTIES },
    { event: 'viewed', user_id: 3, category: 'hats', date: '2026-03-02T10:00:00Z' },
    { event: 'viewed', user_id: 404, date: '2026-03-02T10:00:00Z' },
  ]);
  await send('send-target', [
    { target_id: 1, user_id: 1, value: 5, unit: 'EUR', date: '2026-03-02T11:00:00.000Z' },
    { target_id: 5, user_id: 405, date: '2026-03-02T11:00:00.000Z', properties: { plan: 7 } },
  ]);
  await changeBot(commands, bot.publicKey, { username: 'shop_bot', value_separator: 'is' });
  await send('send-batch-update', [{ update: start(405, 'utmsourceismail') }]);
  const issued = await issueKey(commands, {
    ownerId: bot.ownerId,
    bots: 'all',
    kind: 'service',
    name: null,
    expiresAt: null,
  });
  await revokeKey(commands, { ownerId: bot.ownerId, keyId: issued.keyId });
  // Referrals by a link, by a code that was visited before it had an owner, and by `mark-referral`.
  const { code } = (await send('referral/create-code', { user_id: 1 })).data;
  await send('send-update', { update: start(6, code) });
  await send('referral/create-code?user_id=3');
  await send('referral/set-code-owners', [{ code: 'utmsource-ads2', user_id: 1 }]);
  await send('referral/mark-referral', { referral_user_id: 7, referrer_user_id: 1 });
  const { totals, users } = sampleReports();
  const report = await save('First name', totals);
  await save('Users', users, { uuid: report });
  await save('Totals', totals);
  await send('reports/pin', { uuid: report, pinned: true });
  const deletedReport = await save('Gone', totals);
  await send('reports/delete', { uuid: deletedReport });
  const saveSegment = async (body: object): Promise<number> =>
    (await send('saved-segments/save', { name: 'Any', conditions: BUYERS, ...body })).data.saved_segment_id;
  const savedSegment = await saveSegment({ name: 'Buyers' });
  await saveSegment({ name: 'Buyers of March', saved_segment_id: savedSegment });
  const deletedSegment = await saveSegment({ name: 'Gone' });
  await send('saved-segments/delete', { saved_segment_id: deletedSegment });
  const reversed = await fillAccount(service, bot, send);
  const broadcasts = await fillBroadcasts(service, bot, send);
  const webhookSecret = await fillSettings(bot, send);
  await service.projected();
  // The service caches the old secret for a moment.
  const webhook = `${service.address}/v1/webhook/${bot.publicKey}`;
  const isKnown = async (): Promise<boolean> =>
    (await request(webhook, secret(webhookSecret), { update_id: 1 })).status === 200;
  await vi.waitUntil(isKnown, 120_000);
  return {
    bot: { ...bot, webhookSecret },
    free,
    revoked: issued.apiKey,
    report,
    deletedReport,
    savedSegment,
    deletedSegment,
    reversed,
    ...broadcasts,
    writes,
  };
}

/** A secret is only in the first answer (decisions.md#shown-once). */
function withoutSecrets(answer: object): object {
  const secrets = ['api_key', 'secret', 'webhook_secret'];
  return JSON.parse(JSON.stringify(answer, (key, value) => (secrets.includes(key) ? null : value)));
}

/** A draft, one that is scheduled, and one that has failed. */
async function fillBroadcasts(
  service: TestService,
  bot: TestBot,
  send: Send,
): Promise<Pick<FilledBots, 'draft' | 'scheduled' | 'failed'>> {
  const segmentations = { include: [{ type: 'list', config: { chat_ids: [1, 2, 3] } }] };
  const content = { type: 'sendMessage', message: { text: 'Hello, {{user.first_name}}' }, segmentations };
  const create = async (body: object): Promise<number> => (await send('broadcast/create', body)).data.id;
  const draft = await create({ type: 'sendPhoto', name: 'Sale, first' });
  const uploaded = await send('broadcast/upload-segment', { task_id: draft, chat_ids: [9, 8, 9] });
  const custom = { include: [{ type: 'custom', config: { segment_id: uploaded.data.segment_id } }] };
  const cell = { report_config: sampleReports()['totals'], cell: { series: 0 } };
  await send('broadcast/segment-from-report', { task_id: draft, ...cell });
  await send('broadcast/save', { id: draft, segmentations: custom, date_send: '2027-03-28 02:30:00' });
  const scheduled = await create({
    ...content,
    name: 'Sale, second',
    date_send: '2099-01-01 00:00:00',
    activate: true,
  });
  const cancelled = await create({ ...content, activate: true, date_send: '2099-01-01 00:00:00' });
  await send('broadcast/cancel', { id: cancelled });
  await send('broadcast/archive', { id: cancelled });
  await send('broadcast/delete', { id: await create(content) });
  // It is due after it failed, so nothing is sent.
  const failed = await create({ ...content, settings: { intervalCap: 30 }, date_send: '2099-01-01 00:00:00' });
  await send('broadcast/activate', { id: failed });
  const name = { bot: bot.publicKey, id: failed };
  await advanceBroadcast(service.commands, name, (state, now) => failBroadcast(state, 'Unauthorized', now));
  return { draft, scheduled, failed };
}

function start(id: number, payload: string): object {
  const from = { id, is_bot: false, first_name: `User ${id}` };
  const text = `/start ${payload}`;
  const entities = [{ type: 'bot_command', offset: 0, length: 6 }];
  const about = { message_id: 1, date: Date.UTC(2026, 1, 1) / 1000, chat: { id, type: 'private' } };
  const message = { ...about, from, text, entities };
  return { update_id: id, message };
}

/** Fields that depend on the time of the request, or on data that only the database keeps. */
const TIMED = ['data_as_of', 'lag_ms', 'last_used_at'];

/** The answer without fields that are not of the log. */
export function timeless(body: unknown): unknown {
  return typeof body === 'string'
    ? body
    : JSON.parse(JSON.stringify(body, (key, value) => (TIMED.includes(key) ? undefined : value)));
}

const secret = (token: string): Record<string, string> => ({ 'x-telegram-bot-api-secret-token': token });

/** POSTs if there is a body, else GETs. */
export async function request(url: string, headers: Record<string, string>, body?: object): Promise<Answer> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url, { ...init, headers: { ...headers, 'content-type': 'application/json' } });
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const answered = isJson ? await response.json() : await response.text();
  return { status: response.status, headers: response.headers, body: answered };
}
