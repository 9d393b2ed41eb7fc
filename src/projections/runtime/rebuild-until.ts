import { inTransaction } from '../../database/transaction.ts';
import type { Cursor, Keyring } from '../../log/port.ts';
import type { OnCommits } from './checkpoint.ts';
import type { ProjectorOptions } from './projector-options.ts';
import { replayInto } from './replay.ts';
import { createTables, dropTables } from './versions.ts';

/** The schema of a read model as of earlier positions. No version: nothing follows it, and no answer is read from it. */
export function untilSchemaOf(name: string): string {
  return `${name}_until`;
}

/** Opens no sealed field: an erasure does not reach these tables. */
const NO_KEYS: Pick<Keyring, 'find'> = { find: async () => new Map() };

/**
 * Builds a read model as it was when it had applied the log up to `until`, in {@link untilSchemaOf}, without personal fields and
 * secrets. What stood there goes first.
 * @throws BadCommitError the log cannot be replayed
 */
export async function rebuildUntil(
  { pool, model, log, leases, signal }: ProjectorOptions,
  until: Cursor,
  onCommits: OnCommits,
): Promise<void> {
  const schema = untilSchemaOf(model.name);
  await leases.hold(`until ${model.name}`, signal, async () => {
    await inTransaction(pool, async (tx) => {
      await dropTables(tx, schema);
      await createTables(tx, model, schema);
    });
    await replayInto({ pool, model, schema, keys: NO_KEYS }, log, { until, signal, onCommits });
  });
  signal.throwIfAborted();
}
