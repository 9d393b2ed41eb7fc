import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readEvent } from '../../../src/domain/ledger-events.ts';
import { startTestCli, type TestCli } from '../../support/cli.ts';
import { zipOf } from '../../support/zip.ts';

/** Files as people have them: as each system exports them, and as tools between write them. */

let cli: TestCli;
let folder: string;
let bot: string;

beforeAll(async () => {
  cli = await startTestCli();
  folder = await mkdtemp(join(tmpdir(), 'botledger-'));
  const { owner_id } = await cli.json('owner', 'create', '--name', 'Ann');
  bot = (await cli.json('bot', 'create', '--owner', String(owner_id), '--name', 'Shop')).public_key;
});
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true });
});

interface Shape {
  readonly name: string;
  /** The options, with the format first. */
  readonly options: readonly string[];
  readonly content: string | Buffer;
  /** Default: `events`. */
  readonly file?: string;
  /** Of the first event. */
  readonly date?: string;
  readonly key?: RegExp;
  readonly properties?: object;
}

const AT = '2024-01-02T03:04:05.000Z';
const SECONDS = 1704164645;
const json = (value: unknown): string => JSON.stringify(value);
const lines = (...values: readonly unknown[]): string => values.map(json).join('\n');

const mixpanel = {
  event: 'Paid',
  properties: { time: SECONDS, distinct_id: '7', $insert_id: 'a', mp_lib: 'web', sum: 5 },
};
const hashed = /^mixpanel:[0-9a-f]{32}$/;
const amplitude = {
  $insert_id: 'Paid:2',
  amplitude_id: 45975551903,
  event_type: 'Paid',
  event_time: '2024-01-02 03:04:05.000000',
  user_id: '7',
  uuid: '01972d6a-0000-4000-8000-000000000001',
  data: { path: '/2/httpapi', group_ids: {} },
  event_properties: { sum: 5, '[Amplitude] Page': '/' },
  user_properties: { email: 'a@b.c', tg: 7 },
  groups: {},
};
const posthog = {
  event: 'paid',
  distinct_id: '7',
  timestamp: '2024-01-02T03:04:05.000000+00:00',
  properties: { sum: 5, $lib: 'web', $active_feature_flags: [], $set: { tg: 7 } },
};
const uuid = '01972d6a-97b1-72f6-b75d-b0d2d0b00a69';
const quoted = (value: unknown): string => `"${json(value).replaceAll('"', '""')}"`;

const SHAPES: readonly Shape[] = [
  {
    name: 'Mixpanel, raw export',
    options: ['mixpanel'],
    content: lines(mixpanel),
    key: hashed,
    properties: { sum: 5 },
  },
  {
    name: 'Mixpanel, raw export with Accept-Encoding: gzip',
    options: ['mixpanel'],
    content: gzipSync(lines(mixpanel)),
    key: hashed,
  },
  {
    name: 'Mixpanel, with fractions of seconds',
    options: ['mixpanel'],
    content: lines({ ...mixpanel, properties: { ...mixpanel.properties, time: SECONDS + 0.25 } }),
    date: '2024-01-02T03:04:05.250Z',
  },
  {
    name: 'Mixpanel, with time_in_ms',
    options: ['mixpanel'],
    content: lines({ ...mixpanel, properties: { ...mixpanel.properties, time: SECONDS * 1000 } }),
    key: hashed,
  },
  {
    name: 'Mixpanel, as a list of indented JSON',
    options: ['mixpanel'],
    content: JSON.stringify([mixpanel], null, 2),
    key: hashed,
  },
  {
    name: 'Mixpanel, flat records of a connector',
    options: ['mixpanel'],
    content: lines({
      event: 'Paid',
      distinct_id: '7',
      time: '2024-01-02T03:04:05Z',
      insert_id: 'a',
      browser: 'Chrome',
      sum: 5,
    }),
    key: hashed,
    properties: { browser: 'Chrome', sum: 5 },
  },
  {
    name: 'Mixpanel, as CSV',
    options: ['mixpanel'],
    content: `event,time,distinct_id,$insert_id,$city,plan\nPaid,${SECONDS},7,a,Pune,pro\n`,
    key: hashed,
    properties: { plan: 'pro' },
  },
  {
    name: 'Mixpanel, whose distinct_id is a device',
    options: ['mixpanel', '--user-property', 'User ID'],
    content: lines({ event: 'Paid', properties: { ...mixpanel.properties, distinct_id: '$device:1', 'User ID': '7' } }),
  },
  {
    name: 'Amplitude, Export API',
    options: ['amplitude'],
    content: zipOf({ '100/100_2024-01-02_3#0.json.gz': gzipSync(`${lines(amplitude)}\n`) }),
    key: /^amplitude:01972d6a/,
    properties: { sum: 5 },
  },
  {
    name: 'Amplitude, export to a bucket',
    options: ['amplitude'],
    file: '100_2024-01-02_3#0.json.gz',
    content: gzipSync(lines(amplitude)),
    key: /^amplitude:01972d6a/,
  },
  { name: 'Amplitude, dates with a Z', options: ['amplitude'], content: lines({ ...amplitude, event_time: AT }) },
  {
    name: 'Amplitude, events to be sent to its API',
    options: ['amplitude'],
    content: JSON.stringify([
      { user_id: '7', event_type: 'Paid', time: SECONDS * 1000, insert_id: 'b', event_properties: { sum: 5 } },
    ]),
    key: /^amplitude:b$/,
    properties: { sum: 5 },
  },
  {
    name: 'Amplitude, CSV of a warehouse, with JSON in its cells',
    options: ['amplitude'],
    content: `event_type,event_time,user_id,uuid,event_properties\nPaid,2024-01-02 03:04:05.000 UTC,7,u,${quoted({ sum: 5 })}\n`,
    key: /^amplitude:u$/,
    properties: { sum: 5 },
  },
  {
    name: 'Amplitude, whose user_id is an address',
    options: ['amplitude', '--user-property', 'tg'],
    content: lines({ ...amplitude, user_id: 'a@b.c' }),
  },
  {
    name: 'PostHog, rows of the API of events',
    options: ['posthog'],
    content: lines({
      ...posthog,
      id: uuid,
      person: { distinct_ids: ['7'], properties: {} },
      elements: [],
      elements_chain: '',
    }),
    key: new RegExp(`^posthog:${uuid}$`),
    properties: { sum: 5 },
  },
  {
    name: 'PostHog, batch export as JSON lines with brotli',
    options: ['posthog'],
    file: '2024-01-01-2024-01-02.jsonl.br',
    content: brotliCompressSync(
      lines({ ...posthog, uuid, properties: json(posthog.properties), team_id: 1, set: null }),
    ),
    key: new RegExp(`^posthog:${uuid}$`),
    properties: { sum: 5 },
  },
  {
    name: 'PostHog, CSV of a SQL query',
    options: ['posthog'],
    content: `uuid,event,properties,timestamp,distinct_id,$session_id\n"${uuid}","paid",${quoted(posthog.properties)},"2024-01-02 03:04:05.000000+00:00","7","s"\n`,
    key: new RegExp(`^posthog:${uuid}$`),
    properties: { sum: 5 },
  },
  {
    name: 'PostHog, rows of ClickHouse, whose users are persons',
    options: ['posthog', '--user-property', 'tg'],
    content: lines({
      ...posthog,
      uuid,
      timestamp: '2024-01-02 03:04:05.000000',
      distinct_id: 'x',
      person_properties: '{"tg":"7"}',
    }),
  },
  {
    name: 'own format, objects over several lines',
    options: ['botledger'],
    content: `${JSON.stringify({ event: 'paid', user_id: 7, date: AT, properties: { sum: 5 } }, null, 2)}\n`.repeat(2),
    properties: { sum: 5 },
  },
  {
    name: 'own format, CSV of a spreadsheet in UTF-8 with a byte order mark',
    options: ['botledger'],
    content: '\uFEFFevent,user_id,date,properties.plan\r\npaid,7,2024-01-02 03:04:05,pro\r\n',
    properties: { plan: 'pro' },
  },
];

it.each(SHAPES)(
  'imports $name',
  async ({ options: [format, ...more], content, file = 'events', date = AT, key, properties }) => {
    const path = join(folder, file);
    await writeFile(path, content);
    const { refused } = await cli.json('import', 'events', '--bot', bot, path, '--format', format!, ...more);
    expect(refused).toBe(0);
    const last = cli.log.commits
      .flat()
      .filter(({ stream }) => stream.startsWith('import-'))
      .at(-1)!;
    const event = readEvent(last.events[0]!);
    const item = event.type === 'events_imported' ? event.data.items[0]! : null;
    expect(item).toMatchObject({ user_id: 7, date: Date.parse(date) });
    if (key !== undefined) expect(item!.event_key).toMatch(key);
    if (properties === undefined) return;
    const shown = Object.entries(item!.properties ?? {}).map(([name, value]) => {
      return [name, typeof value === 'object' ? Number(value.number) : value];
    });
    expect(Object.fromEntries(shown)).toEqual(properties);
  },
);

it.each<[string, string, string, RegExp]>([
  [
    'a page of events',
    'posthog',
    json({ next: null, results: [posthog] }),
    /a list of events in results: write one a line/,
  ],
  [
    'events to be sent',
    'amplitude',
    json({ api_key: 'x', events: [amplitude] }),
    /a list of events in events: write one/,
  ],
  [
    'cells that are no JSON',
    'amplitude',
    "event_type,event_time,user_id,event_properties\na,2024-01-02 03:04,7,{'a': 1}",
    /event_properties must be an object/,
  ],
  [
    'another system',
    'mixpanel',
    json({ type: 'track', userId: '7', event: 'a', messageId: 'm' }),
    /properties\.time must be/,
  ],
  ['a CSV of another system', 'posthog', 'session_id,created_at\na,b', /the header lacks event, timestamp/],
])('says what is wrong with %s', async (_, format, content, message) => {
  const path = join(folder, 'wrong');
  await writeFile(path, content);
  const { err } = await cli.run('import', 'events', '--bot', bot, path, '--format', format);
  expect(err).toMatch(message);
});
