import { expect, test } from 'vitest';
import { MANIFESTS } from '../../../src/projections/registry.ts';

/**
 * The shapes of the read models in the last release, 0.2.0. A release writes its own here (CONTRIBUTING.md).
 */
const RELEASED: Readonly<Record<string, number>> = {
  accounts: 4,
  broadcasts: 2,
  catalog: 2,
  events: 9,
  recipients: 2,
  referral: 1,
  reports: 2,
  users: 6,
};

/**
 * Read models that changed before a former shape could answer (docs/adr/0036). `upgrade apply` builds them before the start. A
 * release empties the list.
 */
const BUILT_BEFORE_THE_START: readonly string[] = [
  'accounts',
  'broadcasts',
  'catalog',
  'events',
  'recipients',
  'referral',
  'reports',
  'users',
];

test('the former version of a changed read model answers until the new one is built', () => {
  const changed = MANIFESTS.filter(({ name, shape }) => name in RELEASED && RELEASED[name] !== shape);
  const silent = changed.filter(({ name, former }) => former?.shape !== RELEASED[name]);
  expect(silent.map(({ name }) => name).sort()).toEqual(BUILT_BEFORE_THE_START);
});

test('no former shape outlives its release', () => {
  const kept = MANIFESTS.filter(({ former }) => former !== undefined);
  expect(kept.filter(({ name, former }) => former!.shape !== RELEASED[name])).toEqual([]);
});
