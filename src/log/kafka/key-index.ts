import type pg from 'pg';
import type { Logger } from 'pino';
import { holdLease } from '../../database/lease.ts';
import { inTransaction } from '../../database/transaction.ts';
import { pause } from '../../util/pause.ts';
import type { DataKey } from '../port.ts';
import { StaleIndexError } from '../validated/index-writer.ts';
import { canonicalUuid, type LogRecord } from '../validated/record.ts';
import type { NewRecord } from '../validated/record-store.ts';
import type { KafkaClient, Tombstone } from './kafka-client.ts';

/** Keys of the index, and the first offset of the topic of keys that is not indexed yet, in one snapshot. */
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
  return indexedKeys(pool, 'index_keys_by_id', 'k.id = ANY ($1)', ids);
}

export async function keysBySubjects(pool: pg.Pool, subjects: readonly string[]): Promise<IndexedKeys> {
  return indexedKeys(pool, 'index_keys_by_subject', 'k.subject = ANY ($1)', subjects);
}

async function indexedKeys(
  pool: pg.Pool,
  name: string,
  condition: string,
  values: readonly string[],
): Promise<IndexedKeys> {
  const { rows } = await pool.query<{ [F in keyof Row]: Row[F] | null }>({
    name,
    text: `SELECT p.next_offset AS next, k.id, k.subject, k.secret
             FROM kafka_index.keys_progress AS p LEFT JOIN kafka_index.keys AS k ON ${condition} ORDER BY k.id`,
    values: [values],
  });
  const keys = rows.flatMap(({ id, subject, secret }) => (id === null ? [] : [{ id, subject, secret } as DataKey]));
  return { next: Number(rows[0]!.next), keys };
}

/** At most `limit` keys with ids after `after`, in the order of ids. */
export async function keysAfter(pool: pg.Pool, after: string, limit: number): Promise<DataKey[]> {
  const { rows } = await pool.query<DataKey>({
    name: 'index_keys_page',
    text: 'SELECT id, subject, secret FROM kafka_index.keys WHERE id > $1 ORDER BY id LIMIT $2',
    values: [after, limit],
  });
  return rows;
}

/** The result of indexing records. */
interface IndexedRecords {
  /** The first offset after the records. */
  readonly next: number;
  /** Keys in the records that were forgotten before. They are not indexed, and the topic needs another tombstone for each. */
  readonly revived: readonly DataKey[];
}

/**
 * Indexes consecutive records of the topic, from the offset `from` on. A forgotten key stays forgotten: a client that got no
 * answer may produce the key's record again after the tombstone.
 * @throws StaleIndexError
 */
async function indexKeyRecords(pool: pg.Pool, from: number, records: readonly LogRecord[]): Promise<IndexedRecords> {
  const added = new Map<string, DataKey>();
  const forgotten = new Set<string>();
  const revived: DataKey[] = [];
  for (const record of records) {
    const read = readKeyRecord(record);
    if (read === null) continue;
    if ('forgotten' in read) forgotten.add(read.forgotten);
    else if (forgotten.has(read.id)) revived.push(read);
    else added.set(read.id, read);
  }
  const next = records[records.length - 1]!.offset + 1;
  await inTransaction(pool, async (tx) => {
    const moved = await tx.query('UPDATE kafka_index.keys_progress SET next_offset = $2 WHERE next_offset = $1', [
      from,
      next,
    ]);
    if (moved.rowCount !== 1) throw new StaleIndexError('another indexer has moved the index of keys');
    const { rows } = await tx.query<{ id: string }>('SELECT id FROM kafka_index.forgotten_keys WHERE id = ANY ($1)', [
      [...added.keys()],
    ]);
    for (const { id } of rows) {
      revived.push(added.get(id)!);
      added.delete(id);
    }
    const forgottenIds = [...forgotten];
    if (forgottenIds.length > 0) {
      await tx.query('INSERT INTO kafka_index.forgotten_keys SELECT unnest($1::uuid[]) ON CONFLICT DO NOTHING', [
        forgottenIds,
      ]);
      await tx.query('DELETE FROM kafka_index.keys WHERE id = ANY ($1)', [forgottenIds]);
    }
    const keys = [...added.values()].filter(({ id }) => !forgotten.has(id));
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
 * The topic of keys has this one partition: its records are few and small, and one offset shows whether a reader has read all.
 * A record's key is `<subject>/<key id>`. Its value is the secret, or null for a forgotten key.
 */
export const KEYS_PARTITION = 0;
const SECRET_BYTES = 32;
/** PostgreSQL's index entries hold 2,704 bytes at most. */
const MAX_SUBJECT_BYTES = 1000;

export function recordOfKey({ id, subject, secret }: DataKey): NewRecord {
  return { partition: KEYS_PARTITION, key: `${subject}/${id}`, value: secret };
}

export function tombstoneOf({ id, subject }: Pick<DataKey, 'id' | 'subject'>): Tombstone {
  return { partition: KEYS_PARTITION, key: `${subject}/${id}`, value: null };
}

/** A record that makes the topic end with a record that compaction does not remove: see `indexKeys` below. */
const BEACON: NewRecord = { partition: KEYS_PARTITION, key: 'beacon', value: Buffer.from('1') };

/** Reads a record: a key, or the id of a forgotten key. Null for any other record, such as the beacon. */
function readKeyRecord({ key, value }: LogRecord): DataKey | { readonly forgotten: string } | null {
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
  /** The client of the topic of keys. */
  readonly client: Pick<KafkaClient, 'tail' | 'send'>;
  readonly pool: pg.Pool;
  readonly topic: string;
  readonly holder: string;
  readonly logger: Logger;
  /** Ends the indexer. */
  readonly signal: AbortSignal;
  /** Creates the index if it was dropped. */
  readonly prepare: () => Promise<void>;
  /** Called after each transaction with the first offset that is not indexed. */
  readonly onProgress: (next: number) => void;
}

const RETRY_MS = 500;

/**
 * Keeps the index of keys up to date with its topic, in one instance at a time, by a lease. If two instances index at once,
 * one loses the compare-and-set. Resolves when the signal aborts.
 */
export async function runKeyIndexer(options: KeyIndexerOptions): Promise<void> {
  const { pool, topic, holder, logger, signal } = options;
  while (!signal.aborted) {
    try {
      await holdLease(pool, `kafka index ${topic}`, holder, { signal, logger }, (whileHeld) =>
        indexKeys(options, whileHeld),
      );
    } catch (error) {
      const level = error instanceof StaleIndexError ? 'warn' : 'error';
      logger[level]({ err: error, topic }, 'failed to index keys; retrying');
      await pause(RETRY_MS, signal);
    }
  }
}

async function indexKeys({ client, pool, prepare, onProgress }: KeyIndexerOptions, signal: AbortSignal): Promise<void> {
  await prepare();
  let next = await nextKeyOffset(pool);
  // A caller that asks for a key waits until the index has reached the end of the topic. If a broker dies between creating a
  // segment and writing to it, compaction may remove the records before that end, and the index would never reach it. So the
  // indexer appends a record that stays.
  await client.send([BEACON]);
  for await (const chunks of client.tail(new Map([[KEYS_PARTITION, next]]), signal)) {
    for (const { records } of chunks) {
      const indexed = await indexKeyRecords(pool, next, records);
      next = indexed.next;
      onProgress(next);
      if (indexed.revived.length > 0) await client.send(indexed.revived.map(tombstoneOf));
    }
  }
}
