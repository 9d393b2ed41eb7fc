import type pg from 'pg';
import type { Segmentations } from '../../domain/broadcast/audience.ts';
import { statement } from '../reports/statement.ts';
import { type AudienceSource, audienceSql } from './audience-sql.ts';

/** Of one chunk: what an event of the frozen audience holds, and what is in memory at a time. */
const CHUNK_CHATS = 10_000;

/**
 * The chats of an audience as the read models have it now, ascending, each once, in chunks, all of one snapshot. Read
 * through a cursor: nothing holds all of them.
 * @param signal ends it with the signal's reason, in the middle of a statement, too: the first may take seconds
 */
export async function* audienceChats(
  pool: pg.Pool,
  segmentations: Segmentations,
  source: AudienceSource,
  signal?: AbortSignal,
): AsyncGenerator<readonly number[]> {
  const client = await pool.connect();
  let broken = true;
  let cancel = (): void => {};
  try {
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // All rows will be read: the plan that is fast for the first of them is not wanted.
    await client.query(`SET LOCAL cursor_tuple_fraction = 1; SET LOCAL work_mem = '64MB'; SET LOCAL jit = off`);
    // Where many users are new, the planner believes that there are few, and would look through all events for each.
    await client.query('SET LOCAL enable_nestloop = off');
    const { rows: backends } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    // Where that fails, the statement goes on to its end, and this ends then.
    cancel = () => void pool.query('SELECT pg_cancel_backend($1)', [backends[0]!.pid]).catch(() => {});
    signal?.addEventListener('abort', cancel, { once: true });
    const { text, values } = statement(audienceSql(segmentations, source));
    await client.query(`DECLARE audience NO SCROLL CURSOR FOR ${text}`, values);
    for (;;) {
      signal?.throwIfAborted();
      const { rows } = await client.query<[string]>({ text: `FETCH ${CHUNK_CHATS} FROM audience`, rowMode: 'array' });
      if (rows.length > 0) yield rows.map(([chat]) => Number(chat));
      if (rows.length < CHUNK_CHATS) break;
    }
    await client.query('COMMIT');
    broken = false;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    // Whoever stops half way ends the transaction with its connection; a cancellation may still be on its way to it.
    client.release(broken || signal?.aborted);
  }
}
