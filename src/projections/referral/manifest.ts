import type { ShapeManifest } from '../read-model.ts';

/** Referral codes and their owners, referrals, reward rules, and the units that rewards are paid in. */
export const referralManifest: ShapeManifest = {
  name: 'referral',
  shape: 5,
  categories: ['bot', 'intake', 'import', 'referral', 'program'],
};
