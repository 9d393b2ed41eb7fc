import type pg from 'pg';
import { inTransaction } from '../../database/transaction.ts';
import { StaleIndexError } from '../judged/index-writer.ts';
import type { LogRecord } from '../judged/record.ts';
import type { DataKey } from '../port.ts';
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

/**
 * Takes consecutive records of the topic into the index that ends at `from`. Of one key the last record counts.
 * @returns the first offset after them
 * @throws StaleIndexError
 */
export async function indexKeyRecords(pool: pg.Pool, from: number, records: readonly LogRecord[]): Promise<number> {
  const kept = new Map<string, DataKey>();
  const forgotten = new Set<string>();
  for (const record of records) {
    const read = readKeyRecord(record);
    if (read === null) continue;
    if ('forgotten' in read) {
      forgotten.add(read.forgotten);
      kept.delete(read.forgotten);
    } else {
      kept.set(read.id, read);
      forgotten.delete(read.id);
    }
  }
  const next = records[records.length - 1]!.offset + 1;
  await inTransaction(pool, async (tx) => {
    const moved = await tx.query('UPDATE kafka_index.keys_progress SET next_offset = $2 WHERE next_offset = $1', [
      from,
      next,
    ]);
    if (moved.rowCount !== 1) throw new StaleIndexError('the index of keys is not where it was left');
    if (forgotten.size > 0) await tx.query('DELETE FROM kafka_index.keys WHERE id = ANY ($1)', [[...forgotten]]);
    const keys = [...kept.values()];
    if (keys.length > 0)
      await tx.query(
        `INSERT INTO kafka_index.keys (id, subject, secret) SELECT * FROM unnest($1::uuid[], $2::text[], $3::bytea[])
         ON CONFLICT (id) DO UPDATE SET subject = EXCLUDED.subject, secret = EXCLUDED.secret`,
        [keys.map(({ id }) => id), keys.map(({ subject }) => subject), keys.map(({ secret }) => secret)],
      );
  });
  return next;
}
