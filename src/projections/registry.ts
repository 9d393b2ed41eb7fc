import { accountsReadModel } from './accounts/read-model.ts';
import { broadcastsReadModel } from './broadcasts/read-model.ts';
import { catalogReadModel } from './catalog/read-model.ts';
import { clicksReadModel } from './clicks/read-model.ts';
import { eventsReadModel } from './events/read-model.ts';
import type { ReadModel } from './read-model.ts';
import { recipientsReadModel } from './recipients/read-model.ts';
import { referralReadModel } from './referral/read-model.ts';
import { reportsReadModel } from './saved-reports/read-model.ts';
import { usersReadModel } from './users/read-model.ts';

/** Every read model: projectors, the CLI, metrics and test suites go by this list. */
export const readModels: readonly ReadModel[] = [
  catalogReadModel,
  usersReadModel,
  eventsReadModel,
  reportsReadModel,
  broadcastsReadModel,
  recipientsReadModel,
  clicksReadModel,
  referralReadModel,
  accountsReadModel,
];
