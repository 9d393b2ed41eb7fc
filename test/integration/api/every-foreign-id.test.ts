import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inlined } from '../../../docs/generate/inlined.ts';
import { type BotApiServer, startBotApi } from '../../support/bot-api-server.ts';
import { type BotOfOwner, botOf, fillBot, type Kind, type Things } from '../../support/bot-things.ts';
import {
  casesOf,
  excludedBy,
  type IdCase,
  looksLikeId,
  reportWith,
  SAME_WITH_OWN,
} from '../../support/foreign-id-cases.ts';
import { type OpenApi, type RequestField, requestFields, withValue } from '../../support/id-fields.ts';
import { type Answer, startTestService, type TestService } from '../../support/service.ts';

/**
 * Every id field of every request, with an id of another bot of the owner and of another owner, and a key for one bot: the
 * answer is the same as for an unknown id (decisions.md#foreign-ids).
 */

const document: OpenApi = inlined(JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')));
/** An operator reaches every bot, so the methods of operators have no foreign ids. */
const fields = requestFields(document).filter(({ url }) => url.startsWith('/v1/'));
type Asked = IdCase & { readonly field: RequestField };
/** Requests that take things away come last. */
const takesAway = ({ field }: Asked): number => Number(/^(?:delete|revoke)/.test(field.operationId));
const cases: readonly Asked[] = fields
  .filter(looksLikeId)
  .flatMap((field) => (casesOf(field) ?? []).map((one) => ({ field, ...one })))
  .sort((a, b) => takesAway(a) - takesAway(b));
const named = cases.map(
  (one) => [`${one.field.operationId} ${one.field.place} ${one.field.path} (${one.kind})`, one] as const,
);

/** Ids that no bot has. */
const UNKNOWN: Things = {
  ...{ bot: 'no-such-bot', user: 999_001, event: 999_002, unit: 999_003, rule: 999_004, accrual: 999_005 },
  ...{ payout: 999_006, key: 999_007, report: '00000000-0000-4000-8000-000000999008', broadcast: 999_009 },
  ...{ draft: 999_010, list: 999_011, savedSegment: 999_012, code: 'no-such-code' },
};

let service: TestService;
let platform: BotApiServer;
let bot: BotOfOwner;
let own: Things;
let sibling: Things;
let stranger: Things;
beforeAll(async () => {
  platform = await startBotApi();
  service = await startTestService({ TELEGRAM_API_ROOT: platform.root });
  const owner = await service.createBot();
  const other = await service.createBot();
  bot = await botOf(service, owner.ownerId);
  own = await fillBot(service, bot, 7001, 1);
  sibling = await fillBot(service, await botOf(service, owner.ownerId), 7002, 5);
  stranger = await fillBot(service, await botOf(service, other.ownerId), 7003, 9);
});
afterAll(async () => {
  await service.stop();
  await platform.close();
});

it('each field that looks like an id has a case, or a reason that it has none', () => {
  const without = fields.filter((field) => looksLikeId(field) && casesOf(field) === undefined);
  expect(without.map(({ operationId, place, path }) => `${operationId} ${place} ${path}`)).toEqual([]);
  expect(cases.length).toBeGreaterThan(100);
});

describe('a foreign id is answered as an unknown one', () => {
  it.each(named)('%s', async (_, one) => {
    const ask = async (things: Things) => told(await answerTo(one, things), one.kind, things);
    const [unknown, ofSibling, ofStranger] = await Promise.all([UNKNOWN, sibling, stranger].map(ask));
    expect(ofSibling).toEqual(unknown);
    expect(ofStranger).toEqual(unknown);
  });
});

/** So the requests are valid but for the id. Any person and any type of event may be named: only the status shows it. */
describe("an id of the key's own bot is answered otherwise", () => {
  it.each(named)('%s', async (_, one) => {
    const answer = await answerTo(one, own);
    const unknown = told(await answerTo(one, UNKNOWN), one.kind, UNKNOWN);
    const isAny = one.kind === 'user' || one.kind === 'event';
    const isValid = answer.status === 200 || JSON.stringify(answer.body).includes('no users are behind this number');
    if (isAny) expect([isValid, answer.body]).toEqual([true, answer.body]);
    else if (`${one.field.operationId} ${one.kind}` in SAME_WITH_OWN) expect(answer.status).toBeLessThan(500);
    else expect(told(answer, one.kind, own)).not.toEqual(unknown);
  });
});

/** The answer without the id that was asked for, and without values that differ in each answer. */
function told({ status, body }: Answer, kind: Kind, things: Things): unknown {
  const left = status === 200 ? [...CHANGING, ...NEW_IDS] : CHANGING;
  const text = JSON.stringify(body, (key, value) => (left.includes(key) ? undefined : value));
  return [status, text.replaceAll(new RegExp(`(?<![\\w-]|\\d\\.)${things[kind]}(?![\\w.-])`, 'g'), 'ID')];
}
const CHANGING = ['data_as_of', 'lag_ms', 'date_create', 'date_activate', 'date_change', 'last_used_at'];
const NEW_IDS = ['id', 'uuid', 'rule_id', 'saved_segment_id', 'segment_id', 'code'];

async function answerTo(asked: Asked, things: Things): Promise<Answer> {
  const { field, kind, value = (id) => id } = asked;
  const { method, place, path, url, operationId } = field;
  const given = value(things[kind]);
  const filled = url.replace(/\{(\w+)\}/g, (_, name) => String(name === path ? given : own.bot));
  const headers: Record<string, string> =
    operationId === 'webhook' ? { 'x-telegram-bot-api-secret-token': bot.webhookSecret } : { 'api-key': bot.apiKey };
  if (method === 'POST') return service.post(filled, await bodyOf(asked, given, things[kind]), headers);
  const query = new URLSearchParams({ ...queryOf(field), ...(place === 'query' ? { [path]: String(given) } : {}) });
  return service.get(`${filled}?${query}`, headers);
}

/** The other parameters that a GET needs. */
function queryOf({ operationId, path }: RequestField): Record<string, string> {
  if (operationId === 'listReferrers' && path === 'unit_id') return { order: 'balance' };
  const ofUser =
    /^(?:createReferralCodeByGet|getReferral(?:Balance|Chain)|listReferr(?!alPayouts$|ers$|al(?:Rul|All)).*)$/;
  return ofUser.test(operationId) || operationId === 'listReferralPayouts' ? { user_id: String(own.user) } : {};
}

/** The example of the document with ids of the bot, and with the value of the case. */
async function bodyOf({ field, kind, at = (path) => path, with: needs }: Asked, given: unknown, id: number | string) {
  const { operationId, place, path, example } = field;
  if (operationId === 'webhook') return { update_id: 1 };
  if (place !== 'body') return example;
  let body = await withOwnIds(field, kind);
  if (!Array.isArray(body)) {
    const excluded = excludedBy(field);
    body = { ...(body as object), ...reportWith(field), ...(excluded === undefined ? {} : { [excluded]: undefined }) };
  }
  if (path.includes('.exclude')) body = withValue(body, 'segmentations.include[]', { type: 'all', config: {} });
  if (operationId === 'countAudience' && kind === 'list') body = withValue(body, 'task_id', own.draft);
  const [key, value] = needs?.(id) ?? [];
  if (key !== undefined && key.split('.')[0]! in (body as object)) body = withValue(body, key, value);
  return withValue(body, at(path), given);
}

/** The example with ids of the bot in the place of its ids. */
async function withOwnIds({ operationId, example }: RequestField, kind: Kind): Promise<unknown> {
  let body = example;
  for (const field of fields) {
    if (field.operationId !== operationId || field.place !== 'body' || field.path.includes('.')) continue;
    const named = casesOf(field)?.[0]?.kind;
    if (named === undefined || !(field.name in Object(example))) continue;
    const id = named === 'draft' && kind !== 'list' ? await newDraft() : own[named];
    body = withValue(body, field.path, id);
  }
  return body;
}

async function newDraft(): Promise<number> {
  const audience = { include: [{ type: 'all', config: {} }] };
  const draft = { type: 'sendMessage', message: { text: 'Hello' }, segmentations: audience };
  return (await service.post('/v1/broadcast/create', draft, { 'api-key': bot.apiKey })).body.data.id;
}
