import type pg from 'pg';
import { freshCache } from '../database/fresh-cache.ts';
import { hasPassedAll } from '../log/port.ts';
import { pause } from '../util/pause.ts';
import { type ReadModel, schemaOf } from './read-model.ts';
import { loadCheckpoint } from './runtime/checkpoint.ts';
import { servedOf, type Version, versionsOf } from './runtime/versions.ts';

/** The read model has no version yet that may answer. */
export class ReadModelNotReadyError extends Error {
  override readonly name = 'ReadModelNotReadyError';
}

/** The schema to answer from now. @throws ReadModelNotReadyError while the read model is being built */
export type ServedSchema = (model: ReadModel) => Promise<string>;

/** How long an instance waits for the version it is to move to; else it moves the next time it looks. */
const CATCH_UP_MS = 400;
const POLL_MS = 10;

/**
 * Which version of each read model answers, looked up once a second: after a switch some requests are still answered
 * from the version before, which goes on following the log.
 */
export function servedSchema(pool: pg.Pool, models: readonly ReadModel[], maxWaitMs: number): ServedSchema {
  const byName = new Map(models.map((model) => [model.name, model]));
  const before = new Map<string, Version>();
  const served = freshCache({
    async load(name: string): Promise<Version | null> {
      const versions = await versionsOf(pool, byName.get(name)!);
      const wanted = servedOf(versions);
      const former = versions.find(({ version }) => version === before.get(name)?.version);
      const now = wanted === null || former === undefined ? wanted : await moved(pool, former, wanted);
      if (now !== null) before.set(name, now);
      return now;
    },
    elapsed: () => performance.now(),
    max: models.length,
    maxWaitMs,
  });
  return async ({ name }) => {
    const found = await served(name, true);
    if (found === null) throw new ReadModelNotReadyError(`the read model ${name} is being built, try again`);
    return schemaOf(found.name, found.version);
  };
}

/** The wanted version once it holds all that the former one holds, so that nobody is told less than before; else the former. */
async function moved(pool: pg.Pool, former: Version, wanted: Version): Promise<Version> {
  if (former.version === wanted.version) return wanted;
  const told = await loadCheckpoint(pool, schemaOf(former.name, former.version));
  const deadline = performance.now() + CATCH_UP_MS;
  while (!hasPassedAll(await loadCheckpoint(pool, schemaOf(wanted.name, wanted.version)), told)) {
    if (performance.now() > deadline) return former;
    await pause(POLL_MS);
  }
  return wanted;
}
