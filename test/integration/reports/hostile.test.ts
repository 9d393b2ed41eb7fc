import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { almostValid, anything, VALID_REPORTS } from '../../support/almost-valid-reports.ts';
import { longOnly } from '../../support/long-only.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Hostile input, and harmless text that looks hostile: every text in a config is taken as a value, or refused. */

/** Text that an event may have, and that has a meaning in SQL, JSON, JavaScript, CSV or for a terminal. */
const STORABLE = [
  "'",
  '"',
  "'; DROP SCHEMA events_v1 CASCADE; --",
  "' OR ''='",
  '\\',
  '$1',
  '*/ 1 /*',
  '%_',
  '{"a": 1}',
  '\u02bc OR 1=1',
  '\uff07; \uff0d\uff0d',
  '\u2019',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '\u202etxet',
  '\u{1f600}',
  'e\u0301',
  'é',
  '-'.repeat(250),
];
const TEXTS = [...STORABLE, '', '\0', 'a\0b', '\ud800', 'x'.repeat(100_000)];
/** As JSON text. */
const NUMBERS = [
  '-1',
  '1.5',
  '0',
  '1e308',
  '1e400',
  '-9007199254740993',
  '123456789012345678901234567890',
  '"1"',
  '[]',
];
const FIELDS = ['category', 'value_str', 'webapp_name', 'properties.category'];

let service: TestService;
let bot: TestBot;

beforeAll(async () => {
  service = await startTestService({ REPORT_CONCURRENCY: '100', REPORT_TIMEOUT_MS: '60000' });
  bot = await service.createBot({ timezone: 'Europe/Berlin' });
  const updates = STORABLE.map((text, index) => {
    const from = { id: index + 1, is_bot: false, first_name: text };
    const chat = { id: from.id, type: 'private' };
    return { update: { update_id: index, message: { message_id: 1, date: 1, chat, from, text: 'hello' } } };
  });
  // Text n has n + 1 events.
  const events = STORABLE.flatMap((text, index) =>
    Array.from({ length: index + 1 }, (_, more) => ({
      event: text,
      user_id: index + 1,
      category: text,
      value_str: text,
      webapp_name: text,
      value_num: index,
      date: `2025-01-01T10:00:${10 + more}Z`,
    })),
  );
  for (const [path, body] of [
    ['send-batch-update', updates],
    ['send-event', events],
  ] as const)
    expect((await service.post(`/v1/${path}`, body, { 'api-key': bot.apiKey })).status).toBe(200);
  await service.projected();
});
afterAll(() => service.stop());

/** @param config JSON */
const ask = (config: string): Promise<Answer> =>
  service.post('/v1/reports/run', `{"report_config":${config}}`, { 'api-key': bot.apiKey });

const settings = { params: { ':date_from': '2025-01-01 00:00:00', ':date_to': '2025-01-01 23:59:59' } };
async function rowsOf(source_request: object): Promise<Record<string, unknown>[]> {
  const { status, body } = await ask(JSON.stringify({ source_request, settings }));
  expect(body).toMatchObject({ ok: true });
  expect(status).toBe(200);
  return body.data.rows;
}

/** Null if a report is answered, or refused with a problem; else a description of the answer. */
function failureOf({ status, body }: Answer): string | null {
  if (status === 200 && body.ok === true && Array.isArray(body.data.rows)) return null;
  if (status === 400 && body.details?.length > 0 && /^[^\0]+$/.test(body.error)) return null;
  return `${status}: ${JSON.stringify(body).slice(0, 300)}`;
}

/** Each place gets a third of the texts, the next place the next third. */
const SHARE = 3;

/** JSON texts of the config with one string, key or number replaced, for each place. */
function* replaced(config: unknown): Generator<{ readonly what: string; readonly json: string }> {
  const marker = '\u2588';
  for (const [place, { path, at, marked }] of [...marks(config, marker)].entries()) {
    const template = JSON.stringify(marked);
    const texts = TEXTS.filter((_, index) => (index + place) % SHARE === 0).map((text) => JSON.stringify(text));
    const replacements = at === 'number' ? NUMBERS : texts;
    for (const json of replacements)
      yield { what: `${at} at ${path}: ${json.slice(0, 60)}`, json: template.replace(`"${marker}"`, () => json) };
  }
}

interface Mark {
  readonly path: string;
  readonly at: 'text' | 'key' | 'number';
  readonly marked: unknown;
}

/** For each string, key and number of the value: a copy of the value with the marker in its place. */
function* marks(value: unknown, marker: string, path = ''): Generator<Mark> {
  if (typeof value === 'string') yield { path, at: 'text', marked: marker };
  if (typeof value === 'number') yield { path, at: 'number', marked: marker };
  if (typeof value !== 'object' || value === null) return;
  const entries = Object.entries(value);
  for (const [index, [key, child]] of entries.entries()) {
    const withEntry = (entry: [string, unknown]) =>
      Array.isArray(value) ? value.with(index, entry[1]) : Object.fromEntries(entries.with(index, entry));
    if (!Array.isArray(value)) yield { path: `${path}.${key}`, at: 'key', marked: withEntry([marker, child]) };
    for (const { marked, ...more } of marks(child, marker, `${path}.${key}`))
      yield { ...more, marked: withEntry([key, marked]) };
  }
}

describe('texts with a meaning elsewhere', () => {
  it.each(
    VALID_REPORTS.map((report) => [(report as { source_request: { type: string } }).source_request.type, report]),
  )('at any place of a report (%s) are values, or are refused with their path', async (_, report) => {
    const before = (await ask(JSON.stringify(report))).body;
    const questions = [...replaced(report)];
    expect(questions.length).toBeGreaterThan(100);
    const failures: string[] = [];
    const answers = { 200: 0, 400: 0 };
    await inTurns(questions, 16, async ({ what, json }) => {
      const answer = await ask(json);
      const failure = failureOf(answer);
      if (failure !== null) failures.push(`${what}: ${failure}`);
      else answers[answer.status as 200] += 1;
    });
    expect(failures).toEqual([]);
    expect(Math.min(answers[200], answers[400])).toBeGreaterThan(20);
    const { data, ...after } = (await ask(JSON.stringify(report))).body;
    expect({ ...after, data: data.rows }).toEqual({ ...before, data: before.data.rows });
  });

  it('select the events that have them, and no others', async () => {
    for (const field of FIELDS) {
      const metric = (filters: unknown) => ({ type: 'trend', event_id: null, event_name: 'x', agr: 'total', filters });
      for (let from = 0; from < STORABLE.length; from += 25) {
        const texts = STORABLE.slice(from, from + 25);
        const requests = texts.flatMap((text) => [
          metric(['=', `events.${field}`, text]),
          metric(['in', `events.${field}`, [text, `${text}x`.slice(0, 300)]]),
        ]);
        const rows = await rowsOf({ type: 'trends', type_chart: 'table', requests });
        expect(rows.map(({ value }) => value)).toEqual(texts.flatMap((_, at) => [from + at + 1, from + at + 1]));
      }
    }
  });

  it('are unchanged in breakdowns, lists, labels and CSV', async () => {
    const separators = [{ property: 'events.category' }, { property: 'user.first_name' }];
    const metric = {
      type: 'trend',
      event_id: null,
      event_name: 'x',
      agr: 'total',
      filters: ['!=', 'events.unit', 'x'],
    };
    const table = { type: 'trends', type_chart: 'table', requests: [metric], separators };
    const rows = await rowsOf(table);
    const wanted = STORABLE.map((text, index) => [text, text, index + 1]).reverse();
    const shown = rows.map((row) => [row['events.category'], row['user.first_name'], row['value']]);
    expect(shown).toEqual(wanted);

    const list = { type: 'list', type_chart: 'list', table: 'events', columns: ['events.category'], limit: 1000 };
    const listed = (await rowsOf(list)).map((row) => row['events.category']);
    for (const [index, text] of STORABLE.entries())
      expect(listed.filter((category) => category === text)).toHaveLength(index + 1);

    for (const label of STORABLE) {
      const [row] = await rowsOf({ ...table, separators: [], requests: [{ ...metric, label }] });
      expect(row!['label']).toBe(label);
    }
    const { body } = await service.get('/v1/reports/events', { 'api-key': bot.apiKey });
    const counts = body.data.items.filter(({ kind }: { kind: string }) => kind === 'custom');
    const named = counts.map(({ name, count }: { name: string; count: number }) => [name, count]);
    expect(new Map(named)).toEqual(new Map(STORABLE.map((text, index) => [text, index + 1])));
  });

  longOnly('are unchanged in the name and config of a saved report', async () => {
    for (const text of STORABLE) {
      const report_config = { ...VALID_REPORTS[0], [`x${text}`]: text };
      const key = { 'api-key': bot.apiKey };
      const { body } = await service.post('/v1/reports/save', { name: text, report_config }, key);
      const saved = await service.get(`/v1/reports/get?uuid=${body.data.uuid}`, key);
      expect(saved.body.data).toMatchObject({ name: text, report_config });
    }
  });
});

it('answers or refuses any input as a report, and never with a status of 500 or more', async () => {
  const seen = { answered: 0, refused: 0 };
  const sent = fc.oneof({ weight: 9, arbitrary: almostValid }, { weight: 1, arbitrary: anything });
  await fc.assert(
    fc.asyncProperty(sent, async (config) => {
      const answer = await ask(JSON.stringify(config) ?? 'null');
      seen[answer.status === 200 ? 'answered' : 'refused'] += 1;
      expect(failureOf(answer)).toBeNull();
    }),
    { numRuns: 300 },
  );
  expect(Math.min(seen.answered, seen.refused)).toBeGreaterThan(20);
});

/** Requests at once. */
async function inTurns<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
