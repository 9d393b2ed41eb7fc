import type pg from 'pg';
import { freshCache } from '../database/fresh-cache.ts';
import { type Manifest, schemaOf } from './read-model.ts';
import { loadCheckpoint } from './runtime/checkpoint.ts';
import { servedOf, type Version, versionsOf } from './runtime/versions.ts';
import { waitForReadModels } from './runtime/wait-for-read-models.ts';

/** The read model has no version that can answer yet. */
export class ReadModelNotReadyError extends Error {
  override readonly name = 'ReadModelNotReadyError';
}

/** The schema to answer from now. @throws ReadModelNotReadyError while the read model is being built */
export type ServedSchema = (model: Manifest) => Promise<string>;

/** How long an instance waits for the version that it moves to. If the time is over, it tries again at the next look-up. */
const CATCH_UP_MS = 400;

/**
 * Looks up once a second which version of each read model answers. For a second after a switch some requests are still
 * answered from the version before, which keeps following the log.
 */
export function servedSchema(pool: pg.Pool, models: readonly Manifest[], maxWaitMs: number): ServedSchema {
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

/** The wanted version if it has applied all that the former one has, so that no client sees less than before; else the former. */
async function moved(pool: pg.Pool, former: Version, wanted: Version): Promise<Version> {
  if (former.version === wanted.version) return wanted;
  const progressOf =
    ({ name, version }: Version) =>
    async () => ({
      passed: await loadCheckpoint(pool, schemaOf(name, version)),
    });
  const { passed } = await progressOf(former)();
  const caughtUp = await waitForReadModels([progressOf(wanted)], passed, { timeoutMs: CATCH_UP_MS });
  return caughtUp === null ? former : wanted;
}
