import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clickHouseDestination } from '../../../src/administration/follow/clickhouse.ts';
import { type Destination, UnfitDestinationError } from '../../../src/administration/follow/destination.ts';
import { follow } from '../../../src/administration/follow/follow-events.ts';
import { s3Destination } from '../../../src/administration/follow/s3.ts';
import { eventTypeRegistered } from '../../../src/domain/catalog/catalog-events.ts';
import {
  customEventsReceived,
  eventsImported,
  targetEventsReceived,
  updatesReceived,
  userErased,
} from '../../../src/domain/intake/intake-events.ts';
import { EMPTY_STREAM, type LogEvent } from '../../../src/log/port.ts';
import { type ClickHouseServer, hasClickHouse, startClickHouse } from '../../support/clickhouse-server.ts';
import { eventsIn, eventsInClickHouse, eventsInS3, type Followed } from '../../support/followed.ts';
import { newCommit } from '../../support/log.ts';
import { longOnly } from '../../support/long-only.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { blocksOf } from '../../support/pages.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { type S3Server, startS3 } from '../../support/s3-server.ts';

/** Puts of a case that may fail. */
const FAULTY_PUTS = 12;

type Faults = () => 'answer' | { readonly later: Promise<void> | null };

/** A destination, and the events that it holds. */
interface Place {
  readonly destination: (scope?: string) => Destination;
  readonly events: () => Promise<Followed[]>;
  fault(faults: Faults): void;
  settled(): Promise<void>;
  empty(): Promise<void>;
  close(): Promise<void>;
}

let clickHouse: ClickHouseServer;
let s3: S3Server;

async function clickHousePlace(): Promise<Place> {
  clickHouse = await startClickHouse();
  return {
    destination: (scope = 'memory-all') =>
      clickHouseDestination({ url: clickHouse.url, table: 'botledger_events', scope }),
    events: async () => eventsInClickHouse(clickHouse),
    fault(faults) {
      clickHouse.onInsert = faults;
    },
    settled: () => clickHouse.settled(),
    empty: async () => clickHouse.run('DROP TABLE IF EXISTS botledger_events SYNC'),
    close: () => clickHouse.close(),
  };
}

async function s3Place(): Promise<Place> {
  s3 = await startS3();
  return {
    destination: (scope = 'memory-all') =>
      s3Destination({ url: s3.url, region: 'region', accessKeyId: 'key', secretAccessKey: 'secret', scope }),
    events: () => eventsInS3(s3),
    fault(faults) {
      s3.onPut = faults;
    },
    settled: () => s3.settled(),
    async empty() {
      await s3.close();
      s3 = await startS3();
    },
    close: () => s3.close(),
  };
}

const BOTS = ['a', 'b', 'c'];
const AT = Date.UTC(2026, 0, 1);

/** Events of every kind that intake accepts, and others. */
const EVENTS: readonly ((n: number) => readonly [stream: string, event: LogEvent])[] = [
  (n) => [
    'intake',
    customEventsReceived.create({
      items: [
        {
          event_id: 101,
          user_id: 1 + n,
          date: AT + n,
          value: `${n}.000000000000000000000000000012`,
          unit: 'EUR',
          category: 'it\'s "x"\n\\N',
        },
        { event_id: 102, user_id: 2, properties: { plan: 'pro', big: { number: '123456789012345.125' }, gift: true } },
      ],
    }),
  ],
  () => [
    'intake',
    targetEventsReceived.create({ items: [{ event_id: 100, user_id: 3, value: '-0.5', event_key: 'k' }] }),
  ],
  (n) => [
    'intake',
    updatesReceived.create({
      items: [
        {
          update_id: n,
          user_id: 4,
          makes_user: true,
          is_bot: false,
          is_premium: false,
          event_id: 1,
          command: '/start',
          start_param: 'x',
        },
        { update_id: n + 1, user_id: 4, makes_user: true, is_bot: false, is_premium: false },
      ],
    }),
  ],
  () => [
    'import',
    eventsImported.create({ items: [{ event_id: 101, user_id: 5, date: 0 }], line: 1, refused: 0, finished: false }),
  ],
  () => ['intake', userErased.create({ user_id: 4 })],
  () => ['referral', { type: 'referral_code_created', v: 1, data: { code: 'abc', owner_id: 1 } }],
];

async function append(log: MemoryLog, bot: string, kind: number, n: number): Promise<void> {
  const [category, event] = EVENTS[kind]!(n);
  const stream = category === 'import' ? `import-${bot}/file${n}` : `${category}-${bot}`;
  await log.append(
    newCommit(stream, { at: AT + 1000 * n, events: [event], expected: category === 'import' ? EMPTY_STREAM : 'any' }),
  );
}

async function newLog(): Promise<MemoryLog> {
  const log = memoryLog(2);
  for (const bot of BOTS)
    await log.append(
      newCommit(`eventtypes-${bot}`, {
        events: [
          eventTypeRegistered.create({ event_id: 101, name: `of ${bot}` }),
          eventTypeRegistered.create({ event_id: 102, name: 'other' }),
        ],
      }),
    );
  return log;
}

/** Follows to the log's present end. */
function followed(
  log: MemoryLog,
  destination: Destination,
  more: { batchRows?: number; bot?: string | null; lingerMs?: number } = {},
) {
  return follow({
    ...{ log, destination, bot: null, batchRows: 5, lingerMs: 1000, retryMs: 1, untilEnd: true },
    ...more,
    signal: AbortSignal.timeout(30_000),
  });
}

const places: [string, boolean, () => Promise<Place>][] = [
  ['ClickHouse', hasClickHouse, clickHousePlace],
  ['an S3 store', true, s3Place],
];

describe.each(places)('a follower to %s', (_, isHere, start) => {
  let place: Place;

  beforeAll(async () => {
    if (isHere) place = await start();
  });
  beforeEach(async ({ skip }) => {
    if (!isHere) return skip();
    place.fault(() => 'answer');
    await place.empty();
  });
  afterAll(async () => {
    if (isHere) await place.close();
  });

  it('puts each event of the log there once, and resumes where the destination is', async () => {
    const log = await newLog();
    for (let n = 0; n < 60; n++) await append(log, BOTS[n % 3]!, n % EVENTS.length, n);
    const first = eventsIn(log.commits.flat());
    expect(await followed(log, place.destination())).toBe(first.length);
    expect(await place.events()).toEqual(first);
    expect(await followed(log, place.destination())).toBe(0);
    for (let n = 60; n < 80; n++) await append(log, BOTS[n % 3]!, n % EVENTS.length, n);
    const all = eventsIn(log.commits.flat());
    expect(await followed(log, place.destination(), { batchRows: 1000 })).toBe(all.length - first.length);
    expect(await place.events()).toEqual(all);
  });

  it('puts the events of one bot alone', async () => {
    const log = await newLog();
    for (let n = 0; n < 30; n++) await append(log, BOTS[n % 3]!, n % EVENTS.length, n);
    await followed(log, place.destination('memory-b'), { bot: 'b' });
    expect(await place.events()).toEqual(eventsIn(log.commits.flat(), 'b'));
    expect((await place.events()).length).toBeGreaterThan(3);
  });

  it('puts what waits after the longest wait, and follows until it is stopped', async () => {
    const log = await newLog();
    await append(log, 'a', 0, 1);
    const stopping = new AbortController();
    const running = follow({
      ...{ log, destination: place.destination(), bot: null, batchRows: 1000, lingerMs: 20, retryMs: 1 },
      signal: stopping.signal,
    });
    await expect.poll(async () => (await place.events()).length).toBe(2);
    await append(log, 'b', 0, 2);
    await expect.poll(async () => (await place.events()).length).toBe(4);
    stopping.abort();
    expect(await running).toBe(4);
  });

  longOnly('has each event once, whichever answers are lost and whichever puts come late', async () => {
    const seen = { lost: 0, late: 0 };
    const fault = fc.constantFrom('answer', 'answer', 'lost', 'absent', 'late');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(2), fc.nat(EVENTS.length - 1)), { minLength: 10, maxLength: 40 }),
        fc.array(fault, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 12 }),
        async (commits, faults, batchRows) => {
          await place.empty();
          const log = await newLog();
          for (const [n, [bot, kind]] of commits.entries()) await append(log, BOTS[bot]!, kind, n);
          /** A late put is executed after the third put that follows it, or at the end. */
          const late: { after: number; run: () => void }[] = [];
          let puts = 0;
          place.fault(() => {
            puts++;
            for (const each of late.splice(0))
              if (each.after <= puts) each.run();
              else late.push(each);
            const what = faults[puts % faults.length]!;
            // The follower waits twice as long after each failure.
            if (puts > FAULTY_PUTS || what === 'answer') return 'answer';
            if (what === 'absent') return { later: null };
            seen[what === 'lost' ? 'lost' : 'late']++;
            if (what === 'lost') return { later: Promise.resolve() };
            return { later: new Promise((run) => late.push({ after: puts + 3, run })) };
          });
          await followed(log, place.destination(), { batchRows });
          for (const { run } of late) run();
          await place.settled();
          expect(await place.events()).toEqual(eventsIn(log.commits.flat()));
        },
      ),
      { numRuns: propertyRuns(25) },
    );
    expect(seen.lost).toBeGreaterThan(20);
    expect(seen.late).toBeGreaterThan(20);
  });

  it('has each event once if two followers run at the same time', async () => {
    const log = await newLog();
    for (let n = 0; n < 120; n++) await append(log, BOTS[n % 3]!, n % EVENTS.length, n);
    const put = await Promise.all([1, 2, 3].map((n) => followed(log, place.destination(), { batchRows: 20 + 5 * n })));
    const expected = eventsIn(log.commits.flat());
    expect(await place.events()).toEqual(expected);
    expect(put.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(expected.length);
  });
});

describe.skipIf(!hasClickHouse)('a table of ClickHouse', () => {
  beforeAll(async () => {
    clickHouse = await startClickHouse();
  });
  afterAll(() => clickHouse.close());

  const open = (scope = 'memory-all', table = 't') =>
    clickHouseDestination({ url: clickHouse.url, table, scope }).open();

  it('keeps all digits of values, and the names of events', async () => {
    const log = await newLog();
    await append(log, 'a', 0, 7);
    await followed(log, clickHouseDestination({ url: clickHouse.url, table: 'exact', scope: 'memory-all' }));
    expect(
      clickHouse.rows(
        'SELECT event_name, toString(value) AS value, unit, category, toString(date) AS date FROM exact ORDER BY index',
      ),
    ).toEqual([
      {
        event_name: 'of a',
        value: '7.000000000000000000000000000012',
        unit: 'EUR',
        category: 'it\'s "x"\n\\N',
        date: '2026-01-01 00:00:00.007',
      },
      { event_name: 'other', value: null, unit: null, category: null, date: '2026-01-01 00:00:07.000' },
    ]);
  });

  it('takes the statements of docs/export.md, of which one deletes the events of erased users', async () => {
    const log = await newLog();
    for (let n = 0; n < 18; n++) await append(log, 'a', n % EVENTS.length, n);
    await followed(log, clickHouseDestination({ url: clickHouse.url, table: 'botledger_events', scope: 'memory-all' }));
    const erased = "SELECT count() AS n FROM botledger_events WHERE user_id = 4 AND source <> 'erased'";
    expect(clickHouse.rows(erased)).toEqual([{ n: 3 }]);
    const statements = blocksOf('docs/export.md').filter(({ language }) => language === 'sql');
    expect(statements).toHaveLength(2);
    for (const { text } of statements) clickHouse.run(text);
    expect(clickHouse.rows(erased)).toEqual([{ n: 0 }]);
    clickHouse.run('DROP TABLE botledger_events SYNC');
  });

  it('is refused if another follower, or nothing, made it', async () => {
    await open();
    await open();
    await expect(open('memory-b')).rejects.toThrow(UnfitDestinationError);
    clickHouse.run('CREATE TABLE other (partition UInt32) ENGINE = MergeTree ORDER BY partition');
    await expect(open('memory-all', 'other')).rejects.toThrow(
      "its comment must be 'botledger export follow: memory-all'",
    );
  });

  it.each([
    [
      'PARTITION BY partition',
      'ENGINE = MergeTree',
      'SETTINGS non_replicated_deduplication_window = 100',
      'partition key',
    ],
    ['', 'ENGINE = MergeTree', '', 'non_replicated_deduplication_window'],
    ['', 'ENGINE = ReplacingMergeTree', 'SETTINGS non_replicated_deduplication_window = 100', 'must be a MergeTree'],
  ])('is refused with %s %s %s', async (partition, engine, settings, message) => {
    clickHouse.run(
      `CREATE OR REPLACE TABLE own (partition UInt32, position String) ${engine} ${partition} ORDER BY partition ${settings} COMMENT 'botledger export follow: memory-all'`,
    );
    await expect(open('memory-all', 'own')).rejects.toThrow(message);
  });
});

describe('an S3 store', () => {
  it('is refused if it would overwrite an object', async () => {
    const store = await startS3();
    store.conditional = false;
    const options = { url: store.url, region: 'region', accessKeyId: 'key', secretAccessKey: 'secret', scope: 's' };
    await expect(s3Destination(options).open()).rejects.toThrow('does not honour If-None-Match');
    await store.close();
  });
});
