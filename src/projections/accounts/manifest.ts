import type { ShapeManifest } from '../read-model.ts';

/** Referrers' accounts: accruals, balances, payouts and their attempts; and how often each bot has set its webhook. */
export const accountsManifest: ShapeManifest = {
  name: 'accounts',
  shape: 10,
  categories: ['account', 'webhook'],
};
