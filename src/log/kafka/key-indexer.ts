import type pg from 'pg';
import type { Logger } from 'pino';
import { holdLease } from '../../database/lease.ts';
import { pause } from '../../util/pause.ts';
import { StaleIndexError } from '../validated/index-writer.ts';
import type { KafkaClient } from './client.ts';
import { nextKeyOffset, takeKeyRecords } from './key-index.ts';
import { BEACON, KEYS_PARTITION, tombstoneOf } from './key-record.ts';

export interface KeyIndexerOptions {
  /** Of the topic of keys. */
  readonly client: Pick<KafkaClient, 'tail' | 'send'>;
  readonly pool: pg.Pool;
  readonly topic: string;
  readonly holder: string;
  readonly logger: Logger;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Creates the index if it was dropped. */
  readonly prepare: () => Promise<void>;
  /** Told, after each transaction, the first offset that is not in the index. */
  readonly onProgress: (next: number) => void;
}

const RETRY_MS = 500;

/**
 * Keeps the index of keys up with their topic: one instance at a time, by a lease; of two at once one loses the
 * compare-and-set. Resolves when the signal aborts.
 */
export async function runKeyIndexer(options: KeyIndexerOptions): Promise<void> {
  const { pool, topic, holder, logger, signal } = options;
  while (!signal.aborted) {
    try {
      await holdLease(pool, `kafka index ${topic}`, holder, { signal, logger }, (held) => index(options, held));
    } catch (error) {
      const level = error instanceof StaleIndexError ? 'warn' : 'error';
      logger[level]({ err: error, topic }, 'failed to index keys; retrying');
      await pause(RETRY_MS, signal);
    }
  }
}

async function index({ client, pool, prepare, onProgress }: KeyIndexerOptions, signal: AbortSignal): Promise<void> {
  await prepare();
  let next = await nextKeyOffset(pool);
  // A caller that asks for a key waits until the index has reached the end of the topic. If a broker dies between creating a
  // segment and writing to it, compaction may remove the records before that end. So the topic gets a last record that stays.
  await client.send([BEACON]);
  const from: number[] = [];
  from[KEYS_PARTITION] = next;
  for await (const chunks of client.tail(from, signal)) {
    for (const { records } of chunks) {
      const taken = await takeKeyRecords(pool, next, records);
      next = taken.next;
      onProgress(next);
      if (taken.revived.length > 0) await client.send(taken.revived.map(tombstoneOf));
    }
  }
}
