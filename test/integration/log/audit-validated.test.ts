import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { migrations, SCHEMA } from '../../../src/log/kafka/migrations.ts';
import type { LogFinding } from '../../../src/log/log-audit.ts';
import type { EventLog } from '../../../src/log/port.ts';
import { openValidatedLog } from '../../../src/log/validated/validated-log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createEventStoreTestLog } from '../../support/eventstore-log.ts';
import { startEventStore } from '../../support/eventstore-server.ts';
import { ANY_CATEGORIES, appendOnTop, newBot, newCommit } from '../../support/log.ts';
import { fillLog, findings, kinds, numbered } from '../../support/log-audit.ts';
import { memoryKeyring } from '../../support/memory-log.ts';
import { memoryRecords } from '../../support/memory-records.ts';

/** The same of logs that are validated on read, as Kafka's and EventStoreDB's are: of their records and of the index. */

let database: TestDatabase;
let bot: string;
let stream: string;
beforeAll(async () => {
  database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
});
afterAll(() => database.drop());
/** Tests share a log, and keep apart by their bots. */
beforeEach(() => {
  bot = newBot();
  stream = `bot-${bot}`;
});

describe('on records that are validated when they are read', () => {
  const store = memoryRecords();
  let log: EventLog;
  const open = (pool = database.pool): Promise<EventLog> =>
    openValidatedLog({
      engine: 'validated',
      store,
      index: { pool, schema: SCHEMA, migrations, source: 'memory', partitions: 1 },
      keys: memoryKeyring(),
      partitionOf: () => 0,
      holder: randomUUID(),
      logger: pino({ level: 'silent' }),
      anyCategories: ANY_CATEGORIES,
      maxCommitBytes: 1 << 20,
      groups: { maxRecords: 100, maxBytes: 1 << 20, maxSends: 1 },
    });
  let untouched: Buffer[];
  let other: TestDatabase;
  beforeAll(async () => {
    log = await open();
    other = await createTestDatabase();
    await migrateRuntimeSchema(other.pool);
  });
  afterAll(async () => {
    await log.close();
    await other.drop();
  });
  beforeEach(async () => {
    await fillLog(log, bot);
    // Races, and a repeat.
    const { head } = await log.read(stream);
    const rivals = [1, 2, 3].map(() => log.append(newCommit(stream, { expected: head })));
    expect((await Promise.allSettled(rivals)).filter(({ status }) => status === 'rejected')).toHaveLength(2);
    store.records.push(Buffer.from('no commit'), store.records[2]!);
    await appendOnTop(log, numbered(stream, 7));
    untouched = [...store.records];
  });
  afterEach(() => {
    store.records.splice(0, store.records.length, ...untouched);
  });

  /** Where the commit of a revision that counts stands. */
  function orderKeyOf(revision: number): number {
    const bodies = store.records.map((value) => value.toString());
    return bodies.findIndex((body) => body.includes(`"stream":"${stream}","rev":${revision},`));
  }
  function alter(revision: number, from: string, to: string): void {
    const place = orderKeyOf(revision);
    const body = store.records[place]!.toString();
    expect(body).toContain(from);
    store.records[place] = Buffer.from(body.replace(from, to));
  }
  /** From records alone: a rebuilt index validates the records that it finds. */
  async function remade(): Promise<LogFinding[]> {
    await other.pool.query('DROP SCHEMA IF EXISTS kafka_index CASCADE');
    const again = await open(other.pool);
    try {
      return await findings(again, other.pool, bot);
    } finally {
      await again.close();
    }
  }

  it('finds nothing in an unchanged log, which has lost races and records that are no commits', async () => {
    expect((await log.read(stream)).head.revision).toBe(7);
    expect(await findings(log, database.pool, bot)).toEqual([]);
    expect(await remade()).toEqual([]);
  });

  it('finds an altered byte, also after the index was rebuilt', async () => {
    alter(3, '"n":3', '"n":4');
    expect(kinds(await findings(log, database.pool, bot))).toEqual([
      ['noted', 3],
      ['chain', 4],
    ]);
    expect(kinds(await remade())).toEqual([['void', 4]]);
  });

  it('finds an altered last commit, as long as the index was not rebuilt', async () => {
    alter(7, '"n":7', '"n":8');
    expect(kinds(await findings(log, database.pool, bot))).toEqual([
      ['noted', 7],
      ['end', 7],
    ]);
  });

  it('finds a commit that is no commit any more', async () => {
    alter(2, '"events"', '"event"');
    expect(kinds(await findings(log, database.pool, bot))).toEqual([
      ['unreadable', null],
      ['chain', 3],
    ]);
    expect(kinds(await remade())).toEqual([['void', 3]]);
  });

  it('finds missing records', async () => {
    store.records.splice(orderKeyOf(4), 1);
    expect(kinds(await remade())).toEqual([['void', 5]]);
    store.records.splice(0, 0, Buffer.from('in its place'));
    expect(kinds(await remade())).toEqual([['void', 5]]);
  });

  it('finds two swapped commits', async () => {
    const [a, b] = [orderKeyOf(2), orderKeyOf(3)];
    [store.records[a], store.records[b]] = [store.records[b]!, store.records[a]!];
    expect(kinds(await findings(log, database.pool, bot))).toEqual([
      ['noted', 3],
      ['chain', 3],
      ['noted', 2],
      ['chain', 2],
      ['chain', 4],
    ]);
    expect(kinds(await remade())).toEqual([['void', 3]]);
  });

  it.each<[string, string, [string, number | null][]]>([
    [
      'another text',
      `UPDATE kafka_index.commits SET body = replace(body, '"n":3', '"n":4') WHERE stream = $1`,
      [['noted', 3]],
    ],
    ['a missing copy', 'DELETE FROM kafka_index.commits WHERE stream = $1 AND revision = 3', [['noted', 3]]],
    [
      'another revision',
      'UPDATE kafka_index.commits SET revision = 70 WHERE stream = $1 AND revision = 3',
      [['noted', 3]],
    ],
    [
      'a command',
      `UPDATE kafka_index.commits SET command_id = gen_random_uuid() WHERE stream = $1 AND revision = 3`,
      [['noted', 3]],
    ],
    ['another end', 'UPDATE kafka_index.streams SET revision = 6 WHERE stream = $1', [['end', 6]]],
    ['no end', 'DELETE FROM kafka_index.streams WHERE stream = $1', [['end', 7]]],
    [
      'a verdict on one that counts',
      `INSERT INTO kafka_index.voids SELECT lane, at_offset, 'conflict', '' FROM kafka_index.commits
        WHERE stream = $1 AND revision = 3`,
      [
        ['noted', 3],
        ['void', 3],
        ['chain', 4],
      ],
    ],
    [
      'a verdict on one that does not',
      `DELETE FROM kafka_index.voids WHERE reason = 'conflict' AND at_offset > (
         SELECT max(at_offset) FROM kafka_index.commits WHERE stream = $1 AND revision = 6)`,
      [
        ['noted', 6],
        ['chain', 6],
        ['noted', 6],
        ['chain', 6],
        ['chain', 7],
      ],
    ],
  ])('finds in the index: %s', async (_, statement, expected) => {
    await database.pool.query(statement.replaceAll('$1', `'${stream}'`));
    const found = await findings(log, database.pool, bot);
    expect(kinds(found)).toEqual(expected);
    for (const each of found) expect(each.stream).toBe(stream);
  });
});

describe('on eventstoredb', async () => {
  const server = await startEventStore();
  afterAll(() => server.stop());

  it.skipIf(server.double === null)('finds a byte that was altered in its files', async () => {
    const under = await createEventStoreTestLog(server);
    const log = await under.open();
    try {
      await fillLog(log, bot);
      expect(await findings(log, database.pool, bot)).toEqual([]);
      const events = server.double!.streams.read(under.stream);
      const event = [...(events as Exclude<typeof events, 'deleted' | null>)].find(({ data }) =>
        Buffer.from(data).includes(`"stream":"${stream}","rev":3,`),
      )!;
      const place = Buffer.from(event.data).indexOf('"n":3') + 4;
      event.data[place] = '4'.charCodeAt(0);
      expect(kinds(await findings(log, database.pool, bot))).toEqual([
        ['noted', 3],
        ['chain', 4],
      ]);
    } finally {
      await log.close();
      await under.destroy();
    }
  });
});
