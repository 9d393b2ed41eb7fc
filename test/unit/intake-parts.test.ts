import { expect, it } from 'vitest';
import { parts } from '../../src/projections/parts.ts';
import { readCommit } from '../support/intake-commits.ts';

it('a batch is cut into parts of some 5,000 items, in its order', () => {
  const items = Array.from({ length: 900 }, () => ({ event_id: 101, user_id: 1 }));
  const commits = Array.from({ length: 20 }, (_, i) =>
    readCommit('intake-a', i, 0, [{ type: 'custom_events_received', data: { items } }]),
  );
  const cut = [...parts(commits)];
  expect(cut.flat()).toEqual(commits);
  expect(cut.map((part) => part.length)).toEqual([6, 6, 6, 2]);
});
