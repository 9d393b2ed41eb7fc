import { expect, it } from 'vitest';
import type { RecordedCommit } from '../../../src/log/port.ts';
import { parts } from '../../../src/projections/runtime/read-commits.ts';
import { readCommit } from '../../support/intake-commits.ts';

const PAST_ALL = '0:000000000000099';

function commitsOf(count: number, itemsEach: number): RecordedCommit[] {
  const items = Array.from({ length: itemsEach }, () => ({ event_id: 101, user_id: 1 }));
  const event = { type: 'custom_events_received', v: 1, data: { items } };
  return Array.from({ length: count }, (_, i) => ({ ...readCommit('intake-a', i, 0, []), events: [event] }));
}

it('a batch is cut in order into parts of about 15,000 items, each of which ends at its last commit', () => {
  const commits = commitsOf(20, 2700);
  const cut = [...parts({ partition: 3, commits, last: PAST_ALL })];
  expect(cut.flatMap((part) => part.commits)).toEqual(commits);
  expect(cut.map((part) => part.commits.length)).toEqual([6, 6, 6, 2]);
  expect(cut.map(({ last }) => last)).toEqual([5, 11, 17].map((i) => commits[i]!.position).concat(PAST_ALL));
  expect(cut.every(({ partition }) => partition === 3)).toBe(true);
});

it('the last part ends where the batch ends, also if that part is full or the batch empty', () => {
  const full = commitsOf(2, 15_000);
  expect([...parts({ partition: 0, commits: full, last: PAST_ALL })].map(({ last }) => last)).toEqual([
    full[0]!.position,
    PAST_ALL,
  ]);
  expect([...parts({ partition: 0, commits: [], last: PAST_ALL })]).toEqual([
    { partition: 0, commits: [], last: PAST_ALL },
  ]);
});

it('data of no known shape counts as one item: the reader of the event reports it', () => {
  const events = [null, 'text', { items: 7 }].map((data) => ({ type: 'unknown', v: 1, data }));
  const commits = [{ ...commitsOf(1, 0)[0]!, events }];
  expect([...parts({ partition: 0, commits, last: PAST_ALL })]).toHaveLength(1);
});
