import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataKey, EventLog } from '../../../src/log/port.ts';
import { startKafkaBroker } from '../../support/kafka-broker.ts';
import { createKafkaTestLog, type KafkaTestLog } from '../../support/kafka-log.ts';
import { newBot } from '../../support/log.ts';
import { topicRecords } from '../../support/topic-records.ts';

/** Failures that only a keyring in a topic can have. */
const broker = await startKafkaBroker();
afterAll(() => broker?.stop());

const { ConfigResourceTypes, Kafka, logLevel, Partitioners } = kafkajs;

describe.skipIf(broker === null)('the keyring on Kafka', () => {
  const kafka = new Kafka({ brokers: [...(broker?.brokers ?? [''])], logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  const admin = kafka.admin();
  let under: KafkaTestLog;
  let log: EventLog;

  beforeAll(async () => {
    await Promise.all([producer.connect(), admin.connect()]);
    under = await createKafkaTestLog(broker!, `test.${randomUUID()}`);
    log = await under.open();
  });
  afterAll(async () => {
    await log.close();
    await under.destroy();
    await Promise.all([producer.disconnect(), admin.disconnect()]);
  });

  const topic = (): string => `${under.topic}-keys`;
  const records = () => topicRecords(broker!.brokers, topic(), true);
  const nameOf = ({ subject, id }: DataKey): string => `${subject}/${id}`;
  async function newKeys(count: number): Promise<DataKey[]> {
    const subjects = Array.from({ length: count }, () => `${newBot()}/1`);
    return [...(await log.keys.keysFor(subjects)).values()];
  }

  it('keeps a key forgotten whose record comes again after its tombstone', async () => {
    const [key] = await newKeys(1);
    await log.keys.forget(key!.subject);
    await producer.send({ topic: topic(), acks: -1, messages: [{ key: nameOf(key!), value: key!.secret }] });
    expect(await log.keys.find([key!.id])).toEqual(new Map());
    // And so that compaction does not keep it either, its last record is a tombstone again.
    const last = async () => (await records()).findLast((record) => String(record.key) === nameOf(key!))?.value;
    await expect.poll(last).toBeNull();
  });

  it('skips records that are no keys', async () => {
    const messages = [
      { key: 'b/1', value: Buffer.alloc(32) },
      { key: `b/1/${randomUUID()}`, value: 'too short' },
      { key: `\0/${randomUUID()}`, value: Buffer.alloc(32) },
      { key: Buffer.from([0xff, 0x2f]), value: null },
    ];
    await producer.send({ topic: topic(), acks: -1, messages });
    const [key] = await newKeys(1);
    expect(await log.keys.find([key!.id])).toEqual(new Map([[key!.id, key]]));
  });

  it('is rebuilt from a compacted topic, which no longer has the forgotten keys', {
    timeout: 120_000,
  }, async () => {
    const keys = await newKeys(40);
    const [kept, gone] = [keys.slice(0, 20), keys.slice(20)];
    for (const { subject } of gone) await log.keys.forget(subject);
    const soon = { 'segment.ms': '100', 'max.compaction.lag.ms': '100', 'delete.retention.ms': '0' };
    const configEntries = Object.entries(soon).map(([name, value]) => ({ name, value }));
    await admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: ConfigResourceTypes.TOPIC,
          name: topic(),
          configEntries: [
            ...configEntries,
            { name: 'cleanup.policy', value: 'compact' },
            { name: 'max.message.bytes', value: String(20 << 20) },
          ],
        },
      ],
    });
    const names = new Set(gone.map(nameOf));
    const left = async (): Promise<number> => {
      // Kafka compacts the last record only after another record follows.
      await newKeys(1);
      return (await records()).filter(({ key, value }) => value !== null && names.has(String(key))).length;
    };
    await expect.poll(left, { timeout: 100_000, interval: 500 }).toBe(0);

    await log.close();
    await under.database.pool.query('DROP SCHEMA kafka_index CASCADE');
    log = await under.open();
    const found = await log.keys.find(keys.map(({ id }) => id));
    expect([...found.values()].map(nameOf).sort()).toEqual(kept.map(nameOf).sort());
  });

  it('refuses a topic that would lose keys', async () => {
    const name = `test.${randomUUID()}`;
    await admin.createTopics({ topics: [{ topic: `${name}-keys`, numPartitions: 1 }] });
    const other = await createKafkaTestLog(broker!, name);
    await expect(other.open()).rejects.toThrow(`topic ${name}-keys cannot hold the log: it cleanup.policy is delete`);
    await other.destroy();
  });
});
