import type pg from 'pg';
import { inTransaction } from '../../database/transaction.ts';
import type { DataKey } from '../port.ts';
import { StaleIndexError } from '../validated/index-writer.ts';
import type { LogRecord } from '../validated/record.ts';
import { readKeyRecord } from './key-record.ts';

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
