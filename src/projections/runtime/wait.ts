import type pg from 'pg';
import { type Cursor, hasPassedAll } from '../../log/port.ts';
import { pause } from '../../pause.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import { loadCheckpoint } from './checkpoint.ts';
import { hasPutOff } from './put-off.ts';
import { servedOf, versionsOf } from './versions.ts';

const POLL_MS = 10;

/** Waits until the version that answers has passed `cursor`, at most `timeoutMs`. Answers whether it has. */
export async function waitUntilProjected(
  pool: pg.Pool,
  model: ReadModel,
  cursor: Cursor,
  timeoutMs: number,
  /** Whether what it has put off must be done, too. */
  withPutOff = true,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const served = servedOf(await versionsOf(pool, model));
    if (served !== null) {
      const schema = schemaOf(served.name, served.version);
      const passed = hasPassedAll(await loadCheckpoint(pool, schema), cursor);
      if (passed && !(withPutOff && (await hasPutOff(pool, model, schema)))) return true;
    }
    if (performance.now() >= deadline) return false;
    await pause(POLL_MS);
  }
}
