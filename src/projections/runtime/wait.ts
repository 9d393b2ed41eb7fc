import type pg from 'pg';
import { type Cursor, hasPassedAll } from '../../log/port.ts';
import { pause } from '../../util/pause.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import { loadCheckpoint } from './checkpoint.ts';
import { hasDeferredWork } from './deferred-work.ts';
import { servedOf, versionsOf } from './versions.ts';

const POLL_MS = 10;

/** Waits until the version that answers has passed `cursor`, at most `timeoutMs`. Answers whether it has. */
export async function waitUntilProjected(
  pool: pg.Pool,
  model: ReadModel,
  cursor: Cursor,
  timeoutMs: number,
  /** Whether what it has put off must be done, too. */
  withDeferredWork = true,
): Promise<boolean> {
  return waitUntilPassed(() => projected(pool, model, withDeferredWork), cursor, timeoutMs);
}

/** Where a read model is; null: nowhere that counts. */
export type Look = () => Promise<Cursor | null>;

/** A look that all share who look at once: as many may wait as like. */
export function sharedLook(pool: pg.Pool, model: ReadModel): Look {
  let looking: Promise<Cursor | null> | null = null;
  return () =>
    (looking ??= projected(pool, model, true).finally(() => {
      looking = null;
    }));
}

/** Looks again and again, at most for `timeoutMs`, until what is seen has passed `cursor`. Answers whether it has. */
export async function waitUntilPassed(look: Look, cursor: Cursor, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (seen !== null && hasPassedAll(seen, cursor)) return true;
    if (performance.now() >= deadline) return false;
    await pause(POLL_MS);
  }
}

/** How far the version that answers is; null: there is none, or what it has put off is yet to be done. */
async function projected(pool: pg.Pool, model: ReadModel, withDeferredWork: boolean): Promise<Cursor | null> {
  const served = servedOf(await versionsOf(pool, model));
  if (served === null) return null;
  const schema = schemaOf(served.name, served.version);
  const cursor = await loadCheckpoint(pool, schema);
  // Looked at after the checkpoint: what was put off up to there is done, then.
  return withDeferredWork && (await hasDeferredWork(pool, model, schema)) ? null : cursor;
}
