import type { Pool } from 'pg';
import { IS_HELD } from '../../database/lease-rows.ts';
import { inTransaction } from '../../database/transaction.ts';
import { pause } from '../../util/pause.ts';
import { schemaOf } from '../read-model.ts';
import { dropTables } from './versions.ts';

/** The read models follow a log on another engine. */
export class OtherLogError extends Error {
  override readonly name = 'OtherLogError';
}

/** Longer than the leases of an instance that was killed. */
const MAX_WAIT_MS = 5000;
const POLL_MS = 250;

/**
 * Records which engine's log the read models follow, since positions of one engine mean nothing on another. A service that
 * starts on another engine, after the log was copied there, drops the read models, so that they are built again. A command
 * never does.
 * @throws OtherLogError to a command, or while an instance still follows the earlier log
 */
export async function useLog(pool: Pool, engine: string, mayMove: boolean): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const former = await move(pool, engine, mayMove);
    if (former === engine) return;
    if (!mayMove) throw new OtherLogError(`the service’s log is on ${former}, not on ${engine}`);
    if (performance.now() > deadline)
      throw new OtherLogError(`another instance still works with the log on ${former}: stop it first`);
    await pause(POLL_MS);
  }
}

/** @returns the engine that is recorded at the end */
function move(pool: Pool, engine: string, mayMove: boolean): Promise<string> {
  return inTransaction(pool, async (tx) => {
    await tx.query('LOCK TABLE runtime.source_log IN EXCLUSIVE MODE');
    const { rows } = await tx.query<{ engine: string }>('SELECT engine FROM runtime.source_log');
    const former = rows[0]?.engine;
    if (former === engine) return engine;
    if (former !== undefined) {
      const followed = await tx.query(
        `SELECT FROM runtime.leases WHERE name ~ '^(projection|build|process) ' AND ${IS_HELD}`,
      );
      if (!mayMove || followed.rowCount !== 0) return former;
    }
    const versions = await tx.query<{ name: string; version: number }>(
      'DELETE FROM runtime.read_models RETURNING name, version',
    );
    for (const { name, version } of versions.rows) await dropTables(tx, schemaOf(name, version));
    // The positions of the processes mean nothing either. The next start creates the schema.
    await tx.query('DROP SCHEMA IF EXISTS processes CASCADE');
    await tx.query(
      'INSERT INTO runtime.source_log (engine) VALUES ($1) ON CONFLICT (one) DO UPDATE SET engine = excluded.engine',
      [engine],
    );
    return engine;
  });
}
