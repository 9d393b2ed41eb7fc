import type { ReadModel } from './read-model.ts';
import { MANIFESTS } from './registry.ts';

/** The code of each read model, by name. It is much code: only programs that write read models load it. */
const CODE: Readonly<Record<string, () => Promise<ReadModel>>> = {
  catalog: async () => (await import('./catalog/read-model.ts')).catalogReadModel,
  users: async () => (await import('./users/read-model.ts')).usersReadModel,
  events: async () => (await import('./events/read-model.ts')).eventsReadModel,
  reports: async () => (await import('./saved-reports/read-model.ts')).reportsReadModel,
  broadcasts: async () => (await import('./broadcasts/read-model.ts')).broadcastsReadModel,
  recipients: async () => (await import('./recipients/read-model.ts')).recipientsReadModel,
  clicks: async () => (await import('./clicks/read-model.ts')).clicksReadModel,
  referral: async () => (await import('./referral/read-model.ts')).referralReadModel,
  accounts: async () => (await import('./accounts/read-model.ts')).accountsReadModel,
};

export async function loadReadModel(name: string): Promise<ReadModel> {
  return CODE[name]!();
}

/** All read models, in the order of registry.ts. */
export function loadReadModels(): Promise<ReadModel[]> {
  return Promise.all(MANIFESTS.map(({ name }) => loadReadModel(name)));
}
