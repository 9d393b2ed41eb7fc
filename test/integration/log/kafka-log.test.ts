import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeCommit } from '../../../src/log/commit-codec.ts';
import { partitionOfKey } from '../../../src/log/kafka/kafka-log.ts';
import {
  BrokenChainError,
  EMPTY_STREAM,
  LogUnavailableError,
  type NewCommit,
  OutcomeUnknownError,
  type RecordedCommit,
} from '../../../src/log/port.ts';
import { keyOf } from '../../../src/log/stream-name.ts';
import { pause } from '../../../src/util/pause.ts';
import { surviveBrokerKills } from '../../support/broker-kills.ts';
import { startKafkaBroker } from '../../support/kafka-broker.ts';
import { createKafkaTestLog, type KafkaTestLog } from '../../support/kafka-log.ts';
import { appendOnTop, newBot, newCommit, readAll } from '../../support/log.ts';
import { persist } from '../../support/log-stress.ts';
import { writeAndKill } from '../../support/log-writer-process.ts';
import { longOnly } from '../../support/long-only.ts';

/** Failures that only a log on Kafka can have. */
const broker = await startKafkaBroker();
afterAll(() => broker?.stop());

const { ConfigResourceTypes, Kafka, logLevel, Partitioners } = kafkajs;

describe.skipIf(broker === null)('the log on Kafka', () => {
  const kafka = new Kafka({ brokers: [...(broker?.brokers ?? [''])], logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  const admin = kafka.admin();
  const create = (): Promise<KafkaTestLog> => createKafkaTestLog(broker!, `test.${randomUUID()}`);
  const produce = (topic: string, ...messages: kafkajs.Message[]): Promise<unknown> =>
    producer.send({ topic, acks: -1, messages });

  beforeAll(() => Promise.all([producer.connect(), admin.connect()]));
  afterAll(() => Promise.all([producer.disconnect(), admin.disconnect()]));

  describe('other records in the topic', () => {
    let under: KafkaTestLog;
    let log: Awaited<ReturnType<KafkaTestLog['open']>>;
    beforeAll(async () => {
      under = await create();
      log = await under.open();
    });
    afterAll(async () => {
      await log.close();
      await under.destroy();
    });
    const record = (commit: NewCommit): kafkajs.Message => ({ key: keyOf(commit.stream), value: encodeCommit(commit) });

    it('a record that was produced twice counts once', async () => {
      const bot = newBot();
      const commit = newCommit(`intake-${bot}`);
      await produce(under.topic, record(commit), record(commit));
      await log.append(commit);
      expect((await readAll(log)).filter(({ stream }) => keyOf(stream) === bot)).toMatchObject([{ id: commit.id }]);
    });

    it('a record of a writer that lost its race a while ago counts for no reader', async () => {
      const bot = newBot();
      const stale = newCommit(`bot-${bot}`);
      const taken = newCommit(`bot-${bot}`);
      await log.append(taken);
      await produce(under.topic, record(stale));
      await appendOnTop(log, newCommit(`bot-${bot}`));
      const ids = (await readAll(log)).filter(({ stream }) => keyOf(stream) === bot).map(({ id }) => id);
      expect(ids).toEqual((await log.read(`bot-${bot}`)).commits.map(({ id }) => id));
      expect(ids).not.toContain(stale.id);
    });

    it('a record that is no commit is skipped and counted', async () => {
      const before = (await log.voids()).get('malformed') ?? 0;
      const bot = newBot();
      const elsewhere = (partitionOfKey(bot, under.partitions) + 1) % under.partitions;
      await produce(
        under.topic,
        { key: bot, value: null },
        { key: bot, value: 'hello' },
        { key: bot, value: Buffer.from([0xff, 0xfe]) },
        { key: bot, value: JSON.stringify({ id: 'x', stream: `intake-${bot}\0` }) },
        { ...record(newCommit(`intake-${bot}`)), key: 'another' },
        { ...record(newCommit(`intake-${bot}`)), partition: elsewhere },
      );
      const good = newCommit(`intake-${bot}`);
      await log.append(good);
      expect((await readAll(log)).filter(({ stream }) => keyOf(stream) === bot)).toMatchObject([{ id: good.id }]);
      expect((await log.voids()).get('malformed')).toBe(before + 6);
    });

    it('the index is rebuilt from the topic alone: after a drop it is the same', async () => {
      const bot = newBot();
      const repeated = { id: randomUUID() };
      for (let n = 0; n < 3; n++) {
        await log.append(newCommit(`intake-${bot}`, { command: repeated }));
        await appendOnTop(log, newCommit(`bot-${bot}`));
      }
      const seen = byPosition(await readAll(log));
      const before = await dump(under);
      expect(before['voids']).not.toEqual([]);
      await log.close();
      await under.database.pool.query('DROP SCHEMA kafka_index CASCADE');

      log = await under.open();
      expect((await log.read(`bot-${bot}`)).head.revision).toBe(3);
      expect(byPosition(await readAll(log))).toEqual(seen);
      expect(await dump(under)).toEqual(before);
    });

    it('a stream that was tampered with in the index is not read', async () => {
      const stream = `bot-${newBot()}`;
      for (let n = 0; n < 3; n++) await appendOnTop(log, newCommit(stream));
      for (const statement of [
        `UPDATE kafka_index.commits SET body = replace(body, '"n":1', '"n":2') WHERE stream = $1 AND revision = 3`,
        'DELETE FROM kafka_index.commits WHERE stream = $1 AND revision = 3',
      ]) {
        await under.database.pool.query(statement, [stream]);
        await expect(log.read(stream)).rejects.toThrow(BrokenChainError);
      }
    });

    it('a subscriber whose signal aborts holds nothing, even if it never reads again', async () => {
      const stop = new AbortController();
      const bot = newBot();
      const abandoned = log.subscribe({ categories: ['intake'], after: await log.endCursor(), signal: stop.signal });
      const iterator = abandoned[Symbol.asyncIterator]();
      const first = iterator.next();
      const filler = 'x'.repeat(3 << 20);
      const large = (): NewCommit => newCommit(`intake-${bot}`, { events: [{ type: 'Happened', v: 1, data: filler }] });
      await log.append(large());
      await first;
      // More than a subscription buffers.
      for (let n = 0; n < 5; n++) await log.append(large());
      stop.abort();
      await log.append(large());
      expect((await readAll(log)).filter(({ stream }) => keyOf(stream) === bot)).toHaveLength(7);
    });
  });

  describe('without a leader of the index', () => {
    const bot = newBot();
    let under: KafkaTestLog;
    beforeAll(async () => {
      under = await create();
      const led = await under.open();
      await led.append(newCommit(`bot-${bot}`));
      await led.close();
    });
    afterAll(() => under.destroy());

    it('accepts intake, answers exact appends with an unknown outcome, and lets no reader get ahead of the index', async () => {
      const log = await under.open({ mayLead: false, maxWaitMs: 700 });
      const { head } = await log.read(`bot-${bot}`);
      const after = await log.endCursor();
      const intake = newCommit(`intake-${bot}`);
      await log.append(intake);
      const exact = newCommit(`bot-${bot}`, { expected: head });
      const rival = newCommit(`bot-${bot}`, { expected: head });
      await expect(log.append(exact)).rejects.toThrow(OutcomeUnknownError);
      await expect(log.append(rival)).rejects.toThrow(OutcomeUnknownError);

      const to = await log.endCursor();
      const reading = readAll(log, { after, to });
      const early = await Promise.race([
        reading,
        new Promise<'nothing yet'>((r) => setTimeout(r, 1000, 'nothing yet')),
      ]);
      expect(early).toBe('nothing yet');

      const leader = await under.open();
      expect((await reading).map(({ id }) => id)).toEqual([intake.id, exact.id]);
      expect(await log.append(exact)).toMatchObject({ head: { revision: 2 }, repeated: { id: exact.id } });
      await expect(log.append(rival)).rejects.toMatchObject({ name: 'ConflictError', actual: 2 });
      expect((await log.read(`bot-${bot}`)).head.revision).toBe(2);
      await Promise.all([log.close(), leader.close()]);
    });

    it('gives up an append at its own deadline', async () => {
      const log = await under.open({ mayLead: false, maxWaitMs: 600_000 });
      const { head } = await log.read(`bot-${bot}`);
      const commit = newCommit(`bot-${bot}`, { expected: head });
      const appending = log.append(commit, { deadline: performance.now() + 500 });
      // Unknown, or unavailable where it was not sent by then.
      await expect(appending).rejects.toThrow(/in time/);
      await log.close();
    });

    it('refuses to answer from an index that is still being rebuilt', async () => {
      await under.database.pool.query('DROP SCHEMA IF EXISTS kafka_index CASCADE');
      const log = await under.open({ mayLead: false, maxWaitMs: 1000 });
      await expect(log.read(`bot-${bot}`)).rejects.toThrow(LogUnavailableError);
      await expect(log.append(newCommit(`bot-${bot}`))).rejects.toThrow(LogUnavailableError);
      await log.close();
    });
  });

  longOnly('gets another leader soon when the leader is killed', async () => {
    const under = await create();
    // The other process starts first and leads.
    const stream = `intake-${newBot()}`;
    await writeAndKill({ env: under.env, stream }, 5);
    const log = await under.open();
    const started = performance.now();
    await persist(log, newCommit(`bot-${newBot()}`));
    // The lease (3 s), a look (1 s) and a group join: 5 s here; twice the 10 s that are promised, for busy machines.
    expect(performance.now() - started).toBeLessThan(20_000);
    await log.close();
    await under.destroy();
  });

  longOnly('comes to the same index when two leaders keep taking the lease from each other', async () => {
    const under = await create();
    const logs = [await under.open(), await under.open(), await under.open()];
    const bots = [newBot(), newBot()];
    const stop = new AbortController();
    const stealing = (async () => {
      for (; !stop.signal.aborted; await pause(30)) await under.database.pool.query('DELETE FROM runtime.leases');
    })();
    await Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        for (let n = 0; n < 15; n++) {
          const commit = newCommit(`${n % 2 ? 'bot' : 'intake'}-${bots[writer % 2]}`);
          await persist(logs[n % 3]!, commit);
          if (commit.expected === 'any') await persist(logs[writer % 3]!, commit);
        }
      }),
    );
    stop.abort();
    await stealing;
    expect(await readAll(logs[0]!)).toHaveLength(6 * 15);
    const made = await dump(under);
    await Promise.all(logs.map((log) => log.close()));

    await under.database.pool.query('DROP SCHEMA kafka_index CASCADE');
    const rebuilt = await under.open();
    await readAll(rebuilt);
    expect(made).toEqual(await dump(under));
    await rebuilt.close();
    await under.destroy();
  });

  it('refuses a topic that cannot hold it, and an index of another topic', async () => {
    const under = await create();
    await (await under.open()).close();
    await expect(under.open({ partitions: 5 })).rejects.toThrow('has 4 partitions, not 5');
    await expect(under.open({ topic: `${under.topic}.other` })).rejects.toThrow('the index in this database is of');
    await admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: ConfigResourceTypes.TOPIC,
          name: under.topic,
          configEntries: [{ name: 'retention.ms', value: '1000' }],
        },
      ],
    });
    await expect(under.open()).rejects.toThrow('retention.ms is 1000, not -1');
    await under.destroy();
  });

  it('refuses commits that no reader could read, before they are sent', async () => {
    const under = await create();
    const log = await under.open();
    const event = { type: 'Happened', v: 1, data: 'x'.repeat(21 << 20) };
    for (const bad of [
      newCommit('bot-a', { id: 'x' }),
      newCommit('bot-a', { command: { id: 'x' } }),
      newCommit('bot-a', { expected: 'any' }),
      newCommit('intake-a', { expected: EMPTY_STREAM }),
      newCommit('nothing'),
      newCommit('intake-a', { events: [event] }),
    ])
      await expect(log.append(bad)).rejects.toThrow(RangeError);
    // The largest body that the API takes fits.
    await log.append(newCommit('intake-a', { events: [{ ...event, data: 'x'.repeat(16 << 20) }] }));
    expect(await readAll(log)).toHaveLength(1);
    await log.close();
    await under.destroy();
  });

  // A broker that the environment gives cannot be killed.
  if (broker?.process)
    longOnly('loses, doubles and swaps nothing when the broker is killed with -9 and started again', async () => {
      const under = await create();
      await surviveBrokerKills({ broker: broker.process!, under, writers: 6, kills: 2, between: 100 });
      await under.destroy();
    });
});

/** Partitions have no order among themselves. */
function byPosition(commits: readonly RecordedCommit[]): RecordedCommit[] {
  return commits.toSorted((a, b) => (a.position < b.position ? -1 : 1));
}

/** The index, row by row. */
async function dump({ database }: KafkaTestLog): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const table of ['lanes', 'voids', 'streams', 'commits', 'recent_commits', 'recent_commands']) {
    const { rows } = await database.pool.query(`SELECT * FROM kafka_index.${table} AS t ORDER BY t::text`);
    tables[table] = rows;
  }
  return tables;
}
