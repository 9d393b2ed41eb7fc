import { expect, it } from 'vitest';
import type { VersionDiff } from '../../../src/administration/diff/version-diff.ts';
import { fitting } from '../../../src/administration/inspection/run-inspection.ts';

const sample = { kind: 'changed', key: { id: '1' }, before: { a: 'x' }, after: { a: 'y' }, position: null } as const;
const table = { table: 'users', rows_from: 9, rows_to: 9, only_from: 0, only_to: 0, changed: 9, columns: [] };
const diff: VersionDiff = {
  ...{ name: 'users', from: 1, to: 2, positions: [], equal: false, layout: [], uncompared: [], answers_left_out: [] },
  tables: [{ ...table, samples: Array.from({ length: 9 }, () => sample) }],
  answers: [],
};

it('a result that fits stays as it is', () => {
  expect(fitting(diff, 10_000)).toEqual({ result: diff, cut: [] });
});

it.each([
  [700, 5],
  [500, 2],
  [250, 0],
])('a result of at most %i characters keeps %i samples of each list, and says so', (most, kept) => {
  const { result, cut } = fitting(diff, most);
  expect(result).toEqual({ ...diff, tables: [{ ...table, samples: Array.from({ length: kept }, () => sample) }] });
  expect(cut).toEqual([`samples: the result is larger than ${most} characters with more than ${kept} in each list`]);
});
