import { catalogReadModel } from './catalog/read-model.ts';
import { eventsReadModel } from './events/read-model.ts';
import type { ReadModel } from './read-model.ts';
import { reportsReadModel } from './reports/read-model.ts';
import { usersReadModel } from './users/read-model.ts';

/** Every read model: projectors, the CLI, metrics and test suites go by this list. */
export const readModels: readonly ReadModel[] = [catalogReadModel, usersReadModel, eventsReadModel, reportsReadModel];
