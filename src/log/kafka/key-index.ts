import type pg from 'pg';
import type { Logger } from 'pino';
import { holdLease } from '../../database/lease.ts';
import { inTransaction } from '../../database/transaction.ts';
import { pause } from '../../util/pause.ts';
import type { DataKey } from '../port.ts';
import { StaleIndexError } from '../validated/index-writer.ts';
import { canonicalUuid, type LogRecord } from '../validated/record.ts';
import type { NewRecord } from '../validated/record-store.ts';
import type { KafkaClient, Tombstone } from './client.ts';

/** Keys of the index, and the first offset of the topic of keys that was not in it: one snapshot of both. */
export interface IndexedKeys {
  readonly next: number;
  readonly keys: readonly DataKey[];
}

type Row = DataKey & { readonly next: string };

export async function nextKeyOffset(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ next: string }>({
    name: 'index_keys_next',
    text: 'SELECT next_offset AS next FROM kafka_index.keys_progress',
  });
  return Number(rows[0]!.next);
}

export async function keysByIds(pool: pg.Pool, ids: readonly string[]): Promise<IndexedKeys> {
  return look(pool, 'index_keys_by_id', 'k.id = ANY ($1)', ids);
}

export async function keysBySubjects(pool: pg.Pool, subjects: readonly string[]): Promise<IndexedKeys> {
  return look(pool, 'index_keys_by_subject', 'k.subject = ANY ($1)', subjects);
}

async function look(pool: pg.Pool, name: string, condition: string, values: readonly string[]): Promise<IndexedKeys> {
  const { rows } = await pool.query<{ [F in keyof Row]: Row[F] | null }>({
    name,
    text: `SELECT p.next_offset AS next, k.id, k.subject, k.secret
             FROM kafka_index.keys_progress AS p LEFT JOIN kafka_index.keys AS k ON ${condition} ORDER BY k.id`,
    values: [values],
  });
  const keys = rows.flatMap(({ id, subject, secret }) => (id === null ? [] : [{ id, subject, secret } as DataKey]));
  return { next: Number(rows[0]!.next), keys };
}

/** At most `limit` keys with ids after `after`, by id. */
export async function keysAfter(pool: pg.Pool, after: string, limit: number): Promise<DataKey[]> {
  const { rows } = await pool.query<DataKey>({
    name: 'index_keys_page',
    text: 'SELECT id, subject, secret FROM kafka_index.keys WHERE id > $1 ORDER BY id LIMIT $2',
    values: [after, limit],
  });
  return rows;
}

/** What became of records. */
export interface TakenRecords {
  /** The first offset after them. */
  readonly next: number;
  /** Keys that had been forgotten before. They are not taken, and must be forgotten in the topic once more. */
  readonly revived: readonly DataKey[];
}

/**
 * Takes consecutive records of the topic into the index that ends at `from`. A key that was forgotten stays so: a client
 * that had no answer produces its record again, perhaps behind the tombstone.
 * @throws StaleIndexError
 */
export async function takeKeyRecords(
  pool: pg.Pool,
  from: number,
  records: readonly LogRecord[],
): Promise<TakenRecords> {
  const given = new Map<string, DataKey>();
  const forgotten = new Set<string>();
  const revived: DataKey[] = [];
  for (const record of records) {
    const read = readKeyRecord(record);
    if (read === null) continue;
    if ('forgotten' in read) forgotten.add(read.forgotten);
    else if (forgotten.has(read.id)) revived.push(read);
    else given.set(read.id, read);
  }
  const next = records[records.length - 1]!.offset + 1;
  await inTransaction(pool, async (tx) => {
    const moved = await tx.query('UPDATE kafka_index.keys_progress SET next_offset = $2 WHERE next_offset = $1', [
      from,
      next,
    ]);
    if (moved.rowCount !== 1) throw new StaleIndexError('the index of keys is not where it was left');
    const { rows } = await tx.query<{ id: string }>('SELECT id FROM kafka_index.forgotten_keys WHERE id = ANY ($1)', [
      [...given.keys()],
    ]);
    for (const { id } of rows) {
      revived.push(given.get(id)!);
      given.delete(id);
    }
    const gone = [...forgotten];
    if (gone.length > 0) {
      await tx.query('INSERT INTO kafka_index.forgotten_keys SELECT unnest($1::uuid[]) ON CONFLICT DO NOTHING', [gone]);
      await tx.query('DELETE FROM kafka_index.keys WHERE id = ANY ($1)', [gone]);
    }
    const keys = [...given.values()].filter(({ id }) => !forgotten.has(id));
    if (keys.length > 0)
      await tx.query(
        `INSERT INTO kafka_index.keys (id, subject, secret) SELECT * FROM unnest($1::uuid[], $2::text[], $3::bytea[])
         ON CONFLICT (id) DO NOTHING`,
        [keys.map(({ id }) => id), keys.map(({ subject }) => subject), keys.map(({ secret }) => secret)],
      );
  });
  return { next, revived };
}

/**
 * Records of the topic of keys: a record's key is `<subject>/<key id>`, its value the secret, or null when the key is
 * forgotten. One partition: they are few and small, and one end tells whether a reader has seen them all.
 */
export const KEYS_PARTITION = 0;
const SECRET_BYTES = 32;
/** An index entry holds 2,704 bytes at most. */
const MAX_SUBJECT_BYTES = 1000;

export function recordOfKey({ id, subject, secret }: DataKey): NewRecord {
  return { partition: KEYS_PARTITION, key: `${subject}/${id}`, value: secret };
}

export function tombstoneOf({ id, subject }: Pick<DataKey, 'id' | 'subject'>): Tombstone {
  return { partition: KEYS_PARTITION, key: `${subject}/${id}`, value: null };
}

/** So that its topic ends with a record that compaction does not remove: see `index` below. */
export const BEACON: NewRecord = { partition: KEYS_PARTITION, key: 'beacon', value: Buffer.from('1') };

/** A key, or the id of one that was forgotten; null when the record is neither, as a beacon is. */
export function readKeyRecord({ key, value }: LogRecord): DataKey | { readonly forgotten: string } | null {
  if (key == null) return null;
  const name = Buffer.from(key).toString();
  const slash = name.lastIndexOf('/');
  const subject = name.slice(0, slash);
  const id = canonicalUuid(name.slice(slash + 1));
  if (slash < 1 || id === undefined || /\0|\ufffd/.test(subject)) return null;
  if (Buffer.byteLength(subject) > MAX_SUBJECT_BYTES) return null;
  if (value === null) return { forgotten: id };
  return value.length === SECRET_BYTES ? { id, subject, secret: Buffer.from(value) } : null;
}

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
