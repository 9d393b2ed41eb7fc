import { expect, it } from 'vitest';
import { leaveOut, type Progress, safeCursor, takeIn } from '../../../src/processes/accruals/accrual-progress.ts';

const progressAt = (...reached: [number, string][]): Progress => ({ reached: new Map(reached), waiting: new Map() });

/** No account is left out. */
const NONE: ReadonlySet<string> = new Set();

it('walks again from a dead letter beyond the walk once it is applied, in its partition alone', () => {
  const progress = progressAt([0, '0:5'], [1, '1:5']);
  takeIn(progress, new Map([['a', '0:7']]), NONE);
  progress.reached.set(0, '0:9').set(1, '1:9');
  expect(safeCursor(progress)).toEqual(
    new Map([
      [0, '0:5'],
      [1, '1:9'],
    ]),
  );
  takeIn(progress, new Map([['a', '0:7']]), NONE);
  expect(progress.reached.get(0)).toBe('0:9');
  takeIn(progress, new Map(), NONE);
  expect(progress).toEqual(progressAt([0, '0:5'], [1, '1:9']));
  expect(safeCursor(progress)).toEqual(progress.reached);
});

it('walks again from the beginning for a dead letter that may lie before the walk', () => {
  const progress = progressAt([0, '0:5']);
  takeIn(progress, new Map([['a', '0:5']]), NONE);
  expect(safeCursor(progress)).toEqual(new Map());
  takeIn(progress, new Map([['b', '0:8']]), NONE);
  expect(progress.reached).toEqual(new Map());
  expect(safeCursor(progress)).toEqual(new Map());
});

it('counts the first of several dead letters, until it is applied', () => {
  const progress = progressAt([0, '0:1']);
  takeIn(progress, new Map([['a', '0:2']]), NONE);
  progress.reached.set(0, '0:4');
  const both = new Map([
    ['a', '0:2'],
    ['b', '0:6'],
  ]);
  takeIn(progress, both, NONE);
  progress.reached.set(0, '0:8');
  expect(safeCursor(progress).get(0)).toBe('0:1');
  both.delete('a');
  takeIn(progress, both, NONE);
  expect(progress.reached.get(0)).toBe('0:1');
  progress.reached.set(0, '0:8');
  expect(safeCursor(progress).get(0)).toBe('0:4');
});

it('walks again from where an account was left out, once it is tried again', () => {
  const progress = progressAt([0, '0:5']);
  leaveOut(progress, 'account b/1', { partition: 0, after: '0:3' });
  leaveOut(progress, 'account b/1', { partition: 0, after: '0:5' });
  progress.reached.set(0, '0:9');
  takeIn(progress, new Map(), new Set(['account b/1']));
  expect(progress.reached.get(0), 'the others continue').toBe('0:9');
  expect(safeCursor(progress).get(0)).toBe('0:3');
  takeIn(progress, new Map(), NONE);
  expect(progress).toEqual(progressAt([0, '0:3']));
  leaveOut(progress, 'account b/2', { partition: 0, after: '' });
  expect(safeCursor(progress)).toEqual(new Map());
});
