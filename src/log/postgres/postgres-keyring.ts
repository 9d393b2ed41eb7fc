import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { inTime } from '../../util/in-time.ts';
import { type DataKey, type Keyring, LogUnavailableError } from '../port.ts';

export interface PostgresKeyringOptions {
  readonly pool: pg.Pool;
  /** The longest wait of a caller, in milliseconds. */
  readonly maxWaitMs: number;
}

const SECRET_BYTES = 32;
const PAGE = 5000;

/**
 * The keyring in the table `log.keys`. Forgetting deletes rows. The deleted bytes stay in dead tuples until the next vacuum,
 * and in the write-ahead log and in backups for as long as those are kept.
 */
export function postgresKeyring({ pool, maxWaitMs }: PostgresKeyringOptions): Keyring {
  async function query<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    const late = (): Error => new LogUnavailableError('the keyring did not answer in time');
    try {
      return (await inTime(pool.query<Row>({ name, text, values }), maxWaitMs, late)).rows;
    } catch (error) {
      if (error instanceof LogUnavailableError) throw error;
      throw new LogUnavailableError('failed to read or write the keyring', { cause: error });
    }
  }

  return {
    async keysFor(subjects) {
      const wanted = [...new Set(subjects)];
      if (wanted.length === 0) return new Map();
      const secrets = randomBytes(SECRET_BYTES * wanted.length);
      const rows = await query<DataKey>('log_keys_for', 'SELECT id, subject, secret FROM log.keys_for($1, $2, $3)', [
        wanted.map(() => randomUUID()),
        wanted,
        wanted.map((_, i) => secrets.subarray(i * SECRET_BYTES, (i + 1) * SECRET_BYTES)),
      ]);
      return new Map(rows.map((key) => [key.subject, key]));
    },

    async find(ids) {
      if (ids.length === 0) return new Map();
      const text = 'SELECT id, subject, secret FROM log.keys WHERE id = ANY ($1)';
      return new Map((await query<DataKey>('log_keys_find', text, [ids])).map((key) => [key.id, key]));
    },

    async forget(subject) {
      await query('log_keys_forget', 'DELETE FROM log.keys WHERE subject = $1', [subject]);
    },

    async *all() {
      let after = '00000000-0000-0000-0000-000000000000';
      for (;;) {
        const text = 'SELECT id, subject, secret FROM log.keys WHERE id > $1 ORDER BY id LIMIT $2';
        const rows = await query<DataKey>('log_keys_page', text, [after, PAGE]);
        yield* rows;
        if (rows.length < PAGE) return;
        after = rows[rows.length - 1]!.id;
      }
    },

    async put(keys) {
      const text = `INSERT INTO log.keys (id, subject, secret) SELECT * FROM unnest($1::uuid[], $2::text[], $3::bytea[])
                    ON CONFLICT (id) DO NOTHING`;
      for (let start = 0; start < keys.length; start += PAGE) {
        const page = keys.slice(start, start + PAGE);
        await query('log_keys_put', text, [
          page.map(({ id }) => id),
          page.map(({ subject }) => subject),
          page.map(({ secret }) => secret),
        ]);
      }
    },
  };
}
