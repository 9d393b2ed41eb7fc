import type pg from 'pg';
import { type Cursor, hasPassedAll } from '../../log/port.ts';
import { pause } from '../../pause.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import { loadCheckpoint } from './checkpoint.ts';
import { servedOf, versionsOf } from './versions.ts';

const POLL_MS = 10;

/** Waits until the version that answers has passed `cursor`, at most `timeoutMs`. Answers whether it has. */
export async function waitUntilProjected(
  pool: pg.Pool,
  model: ReadModel,
  cursor: Cursor,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const served = servedOf(await versionsOf(pool, model));
    if (served !== null) {
      const at = await loadCheckpoint(pool, schemaOf(served.name, served.version));
      if (hasPassedAll(at, cursor)) return true;
    }
    if (performance.now() >= deadline) return false;
    await pause(POLL_MS);
  }
}
