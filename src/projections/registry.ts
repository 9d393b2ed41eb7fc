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

/** Every read model: the CLI, metrics and configuration go by this list. Their code: load-read-model.ts. */
export const MANIFESTS: readonly Manifest[] = [
  catalogManifest,
  usersManifest,
  eventsManifest,
  reportsManifest,
  broadcastsManifest,
  recipientsManifest,
  clicksManifest,
  referralManifest,
  accountsManifest,
];

export const READ_MODEL_NAMES = MANIFESTS.map(({ name }) => name);
