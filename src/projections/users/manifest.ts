import type { Manifest } from '../read-model.ts';

/** The users of bots as of now, by updates and imports. */
export const usersManifest: Manifest = {
  name: 'users',
  shape: 11,
  categories: ['bot', 'referral', 'intake', 'import', 'sending'],
};
