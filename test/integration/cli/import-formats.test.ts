import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportedEventItem } from '../../../src/domain/intake/intake-events.ts';
import { readEvent } from '../../../src/domain/ledger-events.ts';
import { startTestCli, type TestCli } from '../../support/cli.ts';
import { zipOf } from '../../support/zip.ts';

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

interface Imported {
  readonly items: readonly ImportedEventItem[];
  readonly err: string;
}

/** @param lines records, or the bytes of the file */
async function imported(format: string, lines: readonly unknown[] | Buffer, ...more: string[]): Promise<Imported> {
  const before = cli.log.commits.flat().length;
  const path = join(folder, 'given');
  await writeFile(path, Buffer.isBuffer(lines) ? lines : lines.map((each) => JSON.stringify(each)).join('\n'));
  const { code, err } = await cli.run('import', 'events', '--bot', bot, path, '--format', format, ...more);
  if (code !== 0) throw new Error(err);
  const commits = cli.log.commits.flat().filter(({ stream }) => stream.startsWith(`import-${bot}/`));
  const since = cli.log.commits.flat().length - before;
  const events = (since === 0 ? [] : commits.slice(-1)).flatMap((commit) => commit.events.map(readEvent));
  return { items: events.flatMap((event) => (event.type === 'events_imported' ? event.data.items : [])), err };
}

const keysOf = ({ items }: Imported): unknown[] => items.map(({ event_key }) => event_key);
const datesOf = ({ items }: Imported): string[] => items.map(({ date }) => new Date(date).toISOString());
const usersOf = ({ items }: Imported): number[] => items.map(({ user_id }) => user_id);

describe('a file of PostHog', () => {
  const uuid = '0190A5F0-0000-7000-8000-000000000001';
  const event = { event: 'paid', distinct_id: '7', timestamp: '2024-01-02T03:04:05.678901+00:00', properties: {} };

  it('has the same keys from the API of events, which says id, and from batch exports, which say uuid', async () => {
    const api = await imported('posthog', [{ ...event, id: uuid, person: null, elements: [], elements_chain: '' }]);
    const batch = await imported('posthog', [{ ...event, uuid: uuid.toLowerCase(), properties: '{}', team_id: 1 }]);
    expect(keysOf(api)).toEqual([`posthog:${uuid.toLowerCase()}`]);
    expect(keysOf(batch)).toEqual(keysOf(api));
    expect(datesOf(api)).toEqual(['2024-01-02T03:04:05.678Z']);
  });

  it('has dates of other shapes: with a blank, with the name UTC', async () => {
    const dates = ['2024-01-02 03:04:05.678000+00:00', '2024-01-02 03:04:05.678901 UTC', '2024-01-02 04:04:05.678+01'];
    const all = await imported(
      'posthog',
      dates.map((timestamp) => ({ ...event, timestamp })),
    );
    expect(datesOf(all)).toEqual(dates.map(() => '2024-01-02T03:04:05.678Z'));
  });
});

describe('a file of Amplitude', () => {
  const event = { event_type: 'paid', user_id: '7', event_properties: {} };

  it('has dates with and without a Z, in UTC', async () => {
    const times = ['2015-10-05 12:22:50.123000', '2015-10-05T12:22:50.123Z', '2015-10-05T12:22:50.123456Z'];
    const all = await imported(
      'amplitude',
      times.map((event_time) => ({ ...event, event_time })),
    );
    expect(datesOf(all)).toEqual(times.map(() => '2015-10-05T12:22:50.123Z'));
  });

  it('is read as it comes, a zip of files that are compressed by gzip', async () => {
    const hour = (n: number): Buffer =>
      gzipSync(`${JSON.stringify({ ...event, user_id: n, event_time: '2024-01-02 03:04:05.0' })}\n`);
    expect(usersOf(await imported('amplitude', zipOf({ 'a_1#0.json.gz': hour(1), 'a_2#0.json.gz': hour(2) })))).toEqual(
      [1, 2],
    );
  });
});

describe('a file of Mixpanel', () => {
  const event = (time: number) => ({ event: 'paid', properties: { time, distinct_id: '7', $insert_id: 'a' } });
  const local = Date.UTC(2020, 6, 1, 12) / 1000; // the clock of the project's zone shows 12:00

  it('has seconds of the zone of --timezone if the project is from before 2023', async () => {
    const winter = Date.UTC(2020, 0, 1, 12) / 1000;
    const all = await imported('mixpanel', [event(local), event(winter)], '--timezone', 'US/Pacific');
    expect(datesOf(all)).toEqual(['2020-07-01T19:00:00.000Z', '2020-01-01T20:00:00.000Z']);
  });

  it('has the same keys with and without --timezone', async () => {
    const utc = await imported('mixpanel', [event(local)]);
    expect(datesOf(utc)).toEqual(['2020-07-01T12:00:00.000Z']);
    expect(keysOf(utc)).toEqual(keysOf(await imported('mixpanel', [event(local)], '--timezone', 'Europe/Berlin')));
  });

  it('may have milliseconds', async () => {
    expect(datesOf(await imported('mixpanel', [event(local * 1000 + 5)]))).toEqual(['2020-07-01T12:00:00.005Z']);
  });
});

describe('--timezone', () => {
  it('is the zone of dates without an offset, in every format', async () => {
    const dates = ['2020-07-01T12:00', '2020-07-01 12:00:00.5', '2020-07-01T12:00Z', '2020-07-01T12:00+05'];
    const lines = dates.map((date) => ({ event: 'a', user_id: 7, date }));
    expect(datesOf(await imported('botledger', lines, '--timezone', 'Europe/Berlin'))).toEqual([
      '2020-07-01T10:00:00.000Z',
      '2020-07-01T10:00:00.500Z',
      '2020-07-01T12:00:00.000Z',
      '2020-07-01T07:00:00.000Z',
    ]);
  });

  it('refuses only the line whose date is the last one of a clock', async () => {
    const given = (time: number) => ({ event: 'paid', properties: { time, distinct_id: '7' } });
    for (const zone of ['America/New_York', 'Asia/Tokyo']) {
      const all = await imported('mixpanel', [given(8.64e15), given(-8.64e15), given(1.6e9)], '--timezone', zone);
      expect(all.items).toHaveLength(1);
      expect(all.err).toMatch(/line 1: properties.time must be a number of seconds/);
    }
  });

  it('must be a time zone', async () => {
    await expect(imported('mixpanel', [], '--timezone', 'Mars')).rejects.toThrow(/must be a time zone's IANA name/);
  });
});

describe('--user-property', () => {
  it.each<[string, string, object]>([
    ['properties', 'posthog', { properties: { tg: 7 } }],
    ['person_properties as text', 'posthog', { properties: {}, person_properties: '{"tg":"7"}' }],
    ['person.properties', 'posthog', { person: { properties: { tg: '7' } } }],
    ['person', 'posthog', { person: { tg: 7 } }],
    ['user_properties', 'amplitude', { event_properties: { tg: 'none' }, user_properties: { tg: 7 } }],
  ])('is found in %s', async (_, format, fields) => {
    const event = { event: 'a', event_type: 'a', distinct_id: 'x', user_id: 'x' };
    const date = { timestamp: '2024-01-02T03:04:05Z', event_time: '2024-01-02T03:04:05Z' };
    expect(usersOf(await imported(format, [{ ...event, ...date, ...fields }], '--user-property', 'tg'))).toEqual([7]);
  });
});

describe('properties of another system', () => {
  const mixpanel = (properties: object) => [
    { event: 'a', properties: { time: 1602611311, distinct_id: '7', ...properties } },
  ];
  const propertiesOf = ({ items }: Imported): object => items[0]!.properties!;

  it('with different names stay different, whatever else the file has', async () => {
    const long = 'n'.repeat(64);
    const names = ['цена', 'курс', 'price €', 'price $', 'price_', 'price__', `${long}1`, `${long}2`, long, 'category'];
    const all = await imported('mixpanel', mixpanel(Object.fromEntries(names.map((name, index) => [name, index + 1]))));
    const kept = Object.entries(propertiesOf(all));
    expect(kept.map(([, value]) => value)).toEqual(names.map((_, index) => ({ number: String(index + 1) })));
    expect(new Set(kept.map(([name]) => name)).size).toBe(names.length);
    expect(kept.every(([name]) => /^[A-Za-z0-9_.-]{1,64}$/.test(name))).toBe(true);
    const alone = await imported('mixpanel', mixpanel({ 'price €': 1 }));
    expect(Object.keys(propertiesOf(alone))).toEqual([kept[2]![0]]);
    expect(alone.err).toContain(`property "price €" is imported as ${kept[2]![0]}`);
  });

  it('get the names of --rename', async () => {
    const renamed = ['--rename', 'цена=price', '--rename', 'a=b=c'];
    const all = await imported('mixpanel', mixpanel({ цена: 5, 'a=b': 6 }), ...renamed);
    expect(propertiesOf(all)).toEqual({ price: { number: '5' }, c: { number: '6' } });
    for (const wrong of [['a=b c'], ['a=category'], ['=a'], ['a'], ['a=c', '--rename', 'b=c']])
      await expect(imported('mixpanel', [], '--rename', ...wrong)).rejects.toThrow(
        /It must be old=new|A name stands in two of them/,
      );
  });

  it('that cannot be kept are left out, counted and named, and the event counts', async () => {
    const properties = { order: 'ID', text: 'a\0b', plan: 'pro', tags: ['x'], near: 5.551115123125783e-17 };
    const text = JSON.stringify(mixpanel(properties)[0]).replace('"ID"', '12345678901234567');
    const { items, err } = await imported('mixpanel', Buffer.from(text));
    expect(items[0]!.properties).toEqual({ plan: 'pro', near: { number: '0.000000000000000055511151231258' } });
    expect(err).toContain('left out 1 property: a number beyond 10^15: order\n');
    expect(err).toContain('left out 1 property: text with U+0000 or a lone surrogate: text\n');
    expect(err).toContain('left out 1 property: a list or an object: tags\n');
  });

  it('may have as many code points as those of send-event', async () => {
    const text = '😀'.repeat(1024);
    const { items, err } = await imported('mixpanel', mixpanel({ text, more: `${text}.` }));
    expect(items[0]!.properties).toEqual({ text });
    expect(err).toContain('left out 1 property: text of more than 1024 characters: more\n');
  });
});

describe('a file of the own format', () => {
  it('loses a property that no log can keep, and not the event', async () => {
    const event = { event: 'a', user_id: 7, date: '2024-01-02T03:04:05Z' };
    const line = `${JSON.stringify(event).slice(0, -1)},"properties":{"order":12345678901234567,"text":"a\\u0000","plan":"pro"}}`;
    const { items, err } = await imported('botledger', Buffer.from(line));
    expect(items[0]!.properties).toEqual({ plan: 'pro' });
    expect(err).toContain('left out 1 property: a number beyond 10^15: order\n');
  });
});
