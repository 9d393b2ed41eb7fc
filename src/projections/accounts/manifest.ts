import type { Manifest } from '../read-model.ts';

/** Referrers' accounts: accruals, balances, payouts and their attempts; and how often each bot has set its webhook. */
export const accountsManifest: Manifest = {
  name: 'accounts',
  shape: 10,
  categories: ['account', 'webhook'],
};
