import type { ShapeManifest } from '../read-model.ts';

/** The users of bots as of now, by updates and imports. */
export const usersManifest: ShapeManifest = {
  name: 'users',
  shape: 11,
  categories: ['bot', 'referral', 'intake', 'import', 'sending'],
};
