import { loadReadModels } from '../../src/projections/load-read-model.ts';

/** All read models with their code. */
export const readModels = await loadReadModels();
