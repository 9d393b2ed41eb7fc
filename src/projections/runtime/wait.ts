import type pg from 'pg';
import { type Cursor, hasPassedAll } from '../../log/port.ts';
import { pause } from '../../pause.ts';
import type { ReadModel } from '../read-model.ts';
import { loadCheckpoint } from './checkpoint.ts';

const POLL_MS = 10;

/** Waits until the read model has passed `cursor`, at most `timeoutMs`. Answers whether it has. */
export async function waitUntilProjected(
  pool: pg.Pool,
  model: ReadModel,
  cursor: Cursor,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const at = await loadCheckpoint(pool, model);
    if (at !== null && hasPassedAll(at, cursor)) return true;
    if (performance.now() >= deadline) return false;
    await pause(POLL_MS);
  }
}
