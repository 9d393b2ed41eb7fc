/**
 * The names of all read models, in the order of registry.ts: what a configuration is checked against, without the code of
 * all of them.
 */
export const READ_MODEL_NAMES = [
  'catalog',
  'users',
  'events',
  'reports',
  'broadcasts',
  'recipients',
  'referral',
  'accounts',
] as const;
