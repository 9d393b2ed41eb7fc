import type { ClientBase } from 'pg';
import { inTransaction } from '../../database/transaction.ts';
import type { Cursor } from '../../log/port.ts';
import type { OnCommits } from './checkpoint.ts';
import type { ProjectorOptions } from './projector-options.ts';
import { replayInto } from './replay.ts';
import { buildsUntilOf, inRunSchema } from './run-schemas.ts';
import { dropTables } from './versions.ts';

/** The schema of a read model as of earlier positions. No version: nothing follows it, and no answer is read from it. */
export function untilSchemaOf(name: string): string {
  return `${name}_until`;
}

/**
 * Builds a read model as it was when it had applied the log up to `until`, without personal fields and secrets: an erasure does not
 * reach these tables. They get the name {@link untilSchemaOf} when they are complete. What has this name until then goes.
 * @throws BadCommitError the log cannot be replayed; Rejection another build has taken over
 */
export async function rebuildUntil(options: ProjectorOptions, until: Cursor, onCommits: OnCommits): Promise<void> {
  const { pool, model, log } = options;
  await inRunSchema(options, buildsUntilOf(model.name), async (schema, signal) => {
    await replayInto({ pool, model, schema, keys: null }, log, { until, signal, onCommits });
    await inTransaction(pool, async (tx) => {
      await dropTables(tx, untilSchemaOf(model.name));
      await renameTables(tx, schema, untilSchemaOf(model.name));
    });
  });
}

/** Renames a schema, also in the settings of its functions. */
async function renameTables(tx: ClientBase, from: string, to: string): Promise<void> {
  await tx.query(`ALTER SCHEMA ${from} RENAME TO ${to}`);
  const { rows } = await tx.query<{ name: string }>(
    `SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = $1::regnamespace
        AND EXISTS (SELECT FROM unnest(proconfig) AS setting WHERE setting LIKE 'search_path=%')`,
    [to],
  );
  for (const { name } of rows) await tx.query(`ALTER FUNCTION ${name} SET search_path TO ${to}`);
}
