import type pg from 'pg';
import { isCitus } from '../../database/citus.ts';
import { inTransaction } from '../../database/transaction.ts';
import { type Cursor, hasPassedAll } from '../../log/port.ts';
import { pause } from '../../util/pause.ts';
import { type Manifest, schemaOf } from '../read-model.ts';
import { loadCheckpoint } from './checkpoint.ts';
import { hasDeferredWork } from './deferred-work.ts';

/** Two versions of a read model cannot be compared now. */
class NotComparableError extends Error {
  override readonly name = 'NotComparableError';
}

/** Two versions of a read model, by their numbers. */
export interface VersionPair {
  readonly from: number;
  readonly to: number;
}

export interface SamePositionOptions extends VersionPair {
  readonly pool: pg.Pool;
  readonly model: Manifest;
  /** How long to look for a moment in which both versions are at the same position. */
  readonly waitMs: number;
  /** The positions that both must have passed. */
  readonly passed?: Cursor | undefined;
  readonly signal: AbortSignal;
}

/** The pause between two looks. It is no divisor of a projector's pause, so that the looks do not keep step with it. */
const LOOK_MS = 7;

/**
 * Works in one snapshot in which both versions have applied the log up to the same positions and have no deferred work. Both
 * keep following the log; the transaction only reads.
 * @throws NotComparableError there was no such moment in `waitMs`
 */
export async function atSamePosition<T>(
  { pool, model, from, to, waitMs, passed = new Map(), signal }: SamePositionOptions,
  work: (tx: pg.PoolClient, at: Cursor) => Promise<T>,
): Promise<T> {
  if (await isCitus(pool))
    throw new NotComparableError('two versions cannot be compared on a Citus cluster: use projection verify');
  const schemas = [schemaOf(model.name, from), schemaOf(model.name, to)] as const;
  const deadline = performance.now() + waitMs;
  for (;;) {
    signal.throwIfAborted();
    const seen = await inTransaction(pool, async (tx) => {
      await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const [first, second] = [await loadCheckpoint(tx, schemas[0]), await loadCheckpoint(tx, schemas[1])];
      const late = hasPassedAll(first, passed) ? null : 'both had not applied all that was in the log before';
      const reason = apart(first, second, { from, to }) ?? late ?? (await deferred(tx, model, schemas));
      return reason === null ? { result: await work(tx, first) } : { reason };
    });
    if ('result' in seen) return seen.result;
    if (performance.now() > deadline)
      throw new NotComparableError(
        `${model.name} versions ${from} and ${to} cannot be compared: for ${Math.round(waitMs / 1000)} s ${seen.reason}`,
      );
    await pause(LOOK_MS, signal);
  }
}

/** Says how two cursors differ; null: they are equal. */
function apart(first: Cursor, second: Cursor, { from, to }: VersionPair): string | null {
  for (const partition of [...new Set([...first.keys(), ...second.keys()])].sort((a, b) => a - b)) {
    const [one, other] = [first.get(partition), second.get(partition)];
    if (one !== other)
      return `version ${from} was at ${one ?? 'no position'} and version ${to} at ${other ?? 'no position'} of partition ${partition}`;
  }
  return null;
}

async function deferred(tx: pg.ClientBase, model: Manifest, schemas: readonly string[]): Promise<string | null> {
  for (const schema of schemas) if (await hasDeferredWork(tx, model, schema)) return `${schema} had deferred work`;
  return null;
}
