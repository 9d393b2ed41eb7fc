import { accountsManifest } from './accounts/manifest.ts';
import { broadcastsManifest } from './broadcasts/manifest.ts';
import { catalogManifest } from './catalog/manifest.ts';
import { clicksManifest } from './clicks/manifest.ts';
import { eventsManifest } from './events/manifest.ts';
import type { Manifest } from './read-model.ts';
import { recipientsManifest } from './recipients/manifest.ts';
import { referralManifest } from './referral/manifest.ts';
import { reportsManifest } from './saved-reports/manifest.ts';
import { usersManifest } from './users/manifest.ts';

const BY_NAME = {
  catalog: catalogManifest,
  users: usersManifest,
  events: eventsManifest,
  reports: reportsManifest,
  broadcasts: broadcastsManifest,
  recipients: recipientsManifest,
  clicks: clicksManifest,
  referral: referralManifest,
  accounts: accountsManifest,
};

export type ReadModelName = keyof typeof BY_NAME;

/** Every read model: the CLI, metrics and configuration go by this list. Their code: load-read-model.ts. */
export const MANIFESTS: readonly Manifest[] = Object.values(BY_NAME);

export const READ_MODEL_NAMES = MANIFESTS.map(({ name }) => name);

export function manifestOf(name: ReadModelName): Manifest {
  return BY_NAME[name];
}
