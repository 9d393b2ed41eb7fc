import fc from 'fast-check';
import { z } from 'zod';
import { inlined } from '../../docs/generate/inlined.ts';
import { issueKey } from '../../src/commands/catalog/keys.ts';
import { pause } from '../../src/util/pause.ts';
import { fillService } from './all-answers.ts';
import { type KnownValues, mutated, type Schema, type Schemas, valuesOf } from './schema-values.ts';
import type { Answer, TestBot, TestService } from './service.ts';

/** Calls every operation of /openapi.json with values that its schemas describe, and with almost valid values. */

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: Schema;
    readonly required?: boolean;
  }[];
  readonly body: Schema | undefined;
  /** By status; undefined for another media type. */
  readonly answers: Readonly<Record<string, Schema | undefined>>;
}

const PARTITIONS = 4;
const MOST_TIMES_AGAIN = 10;

export interface Fuzzed {
  /** By operation and status: the number of answers. */
  readonly statuses: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Answers that the document does not describe, with their requests. */
  readonly failures: readonly string[];
}

/** A key only for the bot that may change its settings. */
async function ownerKey(service: TestService, { ownerId, publicKey }: TestBot): Promise<string> {
  const key = { ownerId, bots: [publicKey], kind: 'owner', name: null, expiresAt: null } as const;
  const { apiKey } = await issueKey(service.commands, key);
  await service.projected();
  return apiKey;
}

/** @param runs calls of each operation */
export async function fuzzOperations(service: TestService, runs: number): Promise<Fuzzed> {
  const filled = await fillService(service);
  const bot = { ...filled.bot, apiKey: await ownerKey(service, filled.bot) };
  const { report, deletedReport, savedSegment, deletedSegment, reversed, draft, scheduled, failed } = filled;
  const known: KnownValues = {
    'api-key': [bot.apiKey],
    resource_key: [bot.publicKey],
    'resource-key': [bot.publicKey],
    bot_public_key: [bot.publicKey],
    user_id: [1, 2, 3],
    referral_user_id: [2, 8],
    referrer_user_id: [1, 2],
    uuid: [report, deletedReport],
    saved_segment_id: [savedSegment, deletedSegment],
    id: [draft, scheduled, failed],
    task_id: [draft, scheduled],
    accrual_id: [reversed, 1, 2],
    key_id: [1, 2, 3],
    rule_id: [1, 2],
    payout_id: [1, 2],
    trigger_event_id: [1, 100],
    bots: ['all', [bot.publicKey]],
    target_id: [1, 5],
    code: ['utmsource-ads2', 'unknown'],
    ':date_from': ['2026-02-01 00:00:00'],
    ':date_to': ['2026-03-05 00:00:00'],
    event_id: [1, 100, 101, 102],
    filters: [['=', 'events.category', 'hats'], null],
    columns: [['events.date', 'user.username']],
    order: [{ 'events.date': 'asc' }],
    separators: [[{ property: 'events.category' }], []],
    message: [{ text: 'Hello' }, { text: '<b>{{user.first_name}}</b>', parse_mode: 'html' }],
    segmentations: [
      { include: [{ type: 'all', config: {} }] },
      { include: [{ type: 'list', config: { chat_ids: [1] } }] },
    ],
    limit: [1, 50],
    offset: [0, 1],
    'filters[status]': [0, 1],
    'filters[name]': ['sale'],
    'filters[date_create]': ['2026-01-01', '2026-01-01,2099-12-31'],
  };
  const document = inlined((await service.get('/openapi.json')).body);
  const schemas: Schemas = document.components.schemas;
  const statuses = new Map<string, Map<number, number>>();
  const failures: string[] = [];
  const fuzz = async (operation: Operation): Promise<void> => {
    const seen = new Map<number, number>();
    statuses.set(operation.operationId, seen);
    const checkers = answerCheckers(operation, schemas);
    for (const call of fc.sample(callsOf(operation, schemas, known), runs)) {
      let answer = await send(service, operation, call, bot);
      // On an overloaded machine the service answers 503 and asks the client to retry; the retry must succeed.
      for (let again = 0; answer.status === 503 && again < MOST_TIMES_AGAIN; again++) {
        await pause(1000 * Number(answer.headers.get('retry-after')));
        answer = await send(service, operation, call, bot);
      }
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
      const problem = problemOf(answer, checkers);
      if (problem !== null) failures.push(`${operation.operationId} ${JSON.stringify(call).slice(0, 600)}: ${problem}`);
    }
  };
  // The calls mostly wait, so several run at once.
  const left = operationsOf(document).values();
  const inTurn = async (): Promise<void> => {
    for (const operation of left) await fuzz(operation);
  };
  await Promise.all(Array.from({ length: PARTITIONS }, inTurn));
  return { statuses, failures };
}

/** The fields of the document that this file reads. */
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}
interface Described {
  readonly operationId: string;
  readonly parameters?: Operation['parameters'];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;

function operationsOf({ paths }: OpenApi): Operation[] {
  const json = (content: Content | undefined): Schema | undefined => content?.['application/json']?.schema;
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters = [], requestBody, responses }]) => ({
        operationId,
        method: method.toUpperCase(),
        path,
        parameters,
        body: json(requestBody?.content),
        answers: Object.fromEntries(Object.entries(responses).map(([status, { content }]) => [status, json(content)])),
      })),
    );
}

interface Call {
  /** By location, then by name. */
  readonly query: Readonly<Record<string, string>>;
  readonly path: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

function callsOf({ parameters, body }: Operation, schemas: Schemas, known: KnownValues): fc.Arbitrary<Call> {
  const of = (place: string): fc.Arbitrary<Record<string, string>> => {
    const here = parameters.filter((parameter) => parameter.in === place);
    const schema: Schema = {
      type: 'object',
      properties: Object.fromEntries(here.map(({ name, schema }) => [name, schema])),
      required: here.filter(({ required }) => required || place === 'path').map(({ name }) => name),
    };
    const good = valuesOf(schema, schemas, known);
    const some = place === 'query' ? fc.oneof({ weight: 3, arbitrary: good }, mutated(good)) : good;
    return some.map((values) =>
      Object.fromEntries(
        Object.entries(Object(values)).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
        ]),
      ),
    );
  };
  const bodies = body === undefined ? fc.constant(undefined) : valuesOf(body, schemas, known);
  return fc.record({
    query: of('query'),
    path: of('path'),
    headers: of('header'),
    body:
      body === undefined
        ? bodies
        : fc.oneof({ weight: 2, arbitrary: bodies }, { weight: 3, arbitrary: mutated(bodies) }),
  });
}

function send(
  service: TestService,
  { method, path, answers }: Operation,
  call: Call,
  bot: { readonly apiKey: string; readonly webhookSecret: string },
): Promise<Answer> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(call.path[name]!));
  const wellFormed = Object.entries(call.query).map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]);
  const query = new URLSearchParams(Object.fromEntries(wellFormed));
  const headers = { ...sendable(call.headers), ...access(path, bot) };
  const url = `${filled}${query.size > 0 ? `?${query}` : ''}`;
  if (Object.keys(answers).length === 0) throw new Error(`${path} has no answer`);
  if (method === 'GET') return service.get(url, headers);
  return service.post(url, JSON.stringify(call.body) ?? '', headers);
}

function access(
  path: string,
  { apiKey, webhookSecret }: { apiKey: string; webhookSecret: string },
): Record<string, string> {
  return path.startsWith('/v1/webhook/') ? { 'x-telegram-bot-api-secret-token': webhookSecret } : { 'api-key': apiKey };
}

/** The headers that HTTP allows a client to send. */
function sendable(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => /^[\x20-\x7e]*$/.test(value)));
}

type Checkers = ReadonlyMap<number, z.ZodType | null>;

/** The document's schemas as checks, by status; null if a status has no schema. */
function answerCheckers({ answers }: Operation, schemas: Schemas): Checkers {
  const local = (schema: unknown): string => JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/');
  const $defs = JSON.parse(local(schemas));
  return new Map(
    Object.entries(answers).map(([status, schema]) => [
      Number(status),
      schema === undefined ? null : z.fromJSONSchema({ ...JSON.parse(local(schema)), $defs }),
    ]),
  );
}

function problemOf({ status, body }: Answer, checkers: Checkers): string | null {
  const told = `${status} ${JSON.stringify(body).slice(0, 400)}`;
  if (status >= 500) return told;
  if (!checkers.has(status)) return `undocumented: ${told}`;
  if (typeof body === 'string') return status === 200 ? null : `not JSON: ${told}`;
  const result = checkers.get(status)?.safeParse(body);
  return result?.success === false ? `not as documented (${z.prettifyError(result.error)}): ${told}` : null;
}
