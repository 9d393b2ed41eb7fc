import type pg from 'pg';
import { unavailable } from './api/errors.ts';
import { type ReadModel, schemaOf } from './projections/read-model.ts';
import { servedOf, versionsOf } from './projections/runtime/versions.ts';
import { freshCache } from './queries/catalog/fresh-cache.ts';

/** The schema to answer from now. @throws ApiError 503 while the read model is being built */
export type ServedSchema = (model: ReadModel) => Promise<string>;

/**
 * Which version of each read model answers, looked up once a second: after a switch some requests are still answered
 * from the version before, which goes on following the log.
 */
export function servedSchema(pool: pg.Pool, models: readonly ReadModel[], maxWaitMs: number): ServedSchema {
  const byName = new Map(models.map((model) => [model.name, model]));
  const served = freshCache({
    load: async (name: string) => servedOf(await versionsOf(pool, byName.get(name)!)),
    elapsed: () => performance.now(),
    max: models.length,
    maxWaitMs,
  });
  return async ({ name }) => {
    const found = await served(name);
    if (found === null) throw unavailable(`the read model ${name} is being built, try again`);
    return schemaOf(found.value.name, found.value.version);
  };
}
