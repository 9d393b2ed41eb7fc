import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { openKafkaClient } from '../../src/log/kafka/kafka-client.ts';
import { NO_SECURITY } from '../../src/log/kafka/security.ts';
import type { LogRecord } from '../../src/log/validated/record.ts';

/** Every record of a topic, up to its current end. */
export async function topicRecords(brokers: readonly string[], topic: string, compacted = false): Promise<LogRecord[]> {
  const logger = pino({ level: 'silent' });
  const client = await openKafkaClient({
    brokers,
    security: NO_SECURITY,
    topic,
    compacted,
    holder: randomUUID(),
    logger,
  });
  const stop = new AbortController();
  const found: LogRecord[] = [];
  try {
    const ends = await client.endOffsets();
    const next = ends.map(() => 0);
    if (ends.every((end) => end === 0)) return found;
    for await (const chunks of client.tail(new Map(next.entries()), stop.signal)) {
      for (const { partition, records } of chunks) {
        found.push(...records);
        next[partition] = records[records.length - 1]!.offset + 1;
      }
      if (next.every((offset, partition) => offset >= ends[partition]!)) break;
    }
    return found;
  } finally {
    stop.abort();
    await client.close();
  }
}

/** The bytes of all records of a topic, as text. */
export async function topicText(brokers: readonly string[], topic: string): Promise<string> {
  const records = await topicRecords(brokers, topic);
  return records.map(({ key, value }) => `${Buffer.from(key ?? [])} ${Buffer.from(value ?? [])}`).join('\n');
}
