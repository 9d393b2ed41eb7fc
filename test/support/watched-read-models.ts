import type { ReadCommit, ReadModel } from '../../src/projections/read-model.ts';
import { readModels } from './read-models.ts';

/**
 * The registered read models, each with a step before it applies commits.
 * @param before throws to refuse the commits; resolves late to hold them back
 */
export function watchedReadModels(
  before: (name: ReadModel['name'], commits: readonly ReadCommit[]) => void | Promise<void>,
): readonly ReadModel[] {
  return readModels.map((model) => ({
    ...model,
    async apply(tx, commits) {
      await before(model.name, commits);
      await model.apply(tx, commits);
    },
  }));
}
