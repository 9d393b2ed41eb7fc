import { expect, it } from 'vitest';
import type { VersionDiff } from '../../../console/src/operations/answers.ts';
import { verdictOf } from '../../../console/src/operations/verdict.ts';

const same = { kind: 'saved_reports', compared: 3, differing: 0, samples: [], slower: [] } as const;
const diff = (changes: object = {}): VersionDiff => ({
  ...{ name: 'events', from: 1, to: 2, positions: [], equal: true, layout: [], tables: [], uncompared: [] },
  ...{ answers: [{ ...same, samples: [], slower: [] }], answers_left_out: [] },
  ...changes,
});
const table = { table: 'bots', rows_from: 1, rows_to: 1, only_from: 0, only_to: 0, changed: 0 };
const slower = [{ question: {}, ms_before: 1, ms_after: 900 }];

it.each([
  ['same', {}, true],
  ['unsure', {}, false],
  ['unsure', { answers_left_out: ['bot b is quarantined'] }, true],
  ['rows', { equal: false, tables: [{ ...table, changed: 1 }] }, true],
  ['rows', { equal: false, tables: [{ ...table, only_from: 1 }], layout: ['bots.name is new'] }, true],
  ['columns', { equal: false, tables: [table], layout: ['bots.name is new'] }, true],
  ['columns', { equal: false, uncompared: [{ table: 'bots', reason: 'is new' }] }, true],
  ['answers', { equal: false, answers: [{ ...same, differing: 1 }] }, true],
  ['answers', { equal: false, answers: [{ ...same, differing: 1 }], answers_left_out: ['x'] }, true],
  ['slower', { answers: [{ ...same, slower }] }, true],
])('is %s with %j, answers compared: %s', (verdict, changes, answers) => {
  expect(verdictOf({ result: diff(changes), answers })).toBe(verdict);
});
