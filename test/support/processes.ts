import { hasPassedAll } from '../../src/log/port.ts';
import { loadPositions } from '../../src/processes/process-states.ts';
import { pause } from '../../src/util/pause.ts';
import type { TestService } from './service.ts';

/** Resolves when a process of the service has processed all that is in the log now. */
export async function processed({ log, database }: Pick<TestService, 'log' | 'database'>, name: string): Promise<void> {
  const head = await log.endCursor();
  const deadline = performance.now() + 120_000;
  while (!hasPassedAll(await loadPositions(database.pool, name), head)) {
    if (performance.now() > deadline) throw new Error(`the process ${name} does not catch up`);
    await pause(20);
  }
}
