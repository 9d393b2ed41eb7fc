import { expect, it } from 'vitest';
import { answerTally } from '../../../src/administration/diff/answer-tally.ts';

/** Asks a question that takes these times, in milliseconds, on each version. @returns how often each was asked */
async function asked(before: readonly number[], after: readonly number[]) {
  let clock = 0;
  const tally = answerTally('balances', () => clock);
  const times = [0, 0];
  const side = (index: number, ms: readonly number[]) => async () => {
    clock += ms[times[index]!++]!;
  };
  await tally.ask({ bot: 'a' }, side(0, before), side(1, after));
  return { times, slower: tally.result.slower };
}

it('lists a question whose best time is over 1.5 times and over 50 ms more', async () => {
  const { times, slower } = await asked([200, 100, 150], [400, 300, 151]);
  expect({ times, slower }).toEqual({
    times: [3, 3],
    slower: [{ question: { bot: 'a' }, ms_before: 100, ms_after: 151 }],
  });
});

it('lists no question that is slower by 50 ms or by half', async () => {
  expect((await asked([100, 100, 100], [150, 150, 150])).slower).toEqual([]);
  expect((await asked([10, 10, 10], [60, 60, 60])).slower).toEqual([]);
  expect((await asked([10, 1000, 1000], [1000, 1000, 61])).slower).toEqual([
    { question: { bot: 'a' }, ms_before: 10, ms_after: 61 },
  ]);
});

it('asks once what the second version answers within 50 ms', async () => {
  expect(await asked([1], [50])).toEqual({ times: [1, 1], slower: [] });
  expect((await asked([1, 1], [51, 50])).times).toEqual([2, 2]);
});

it('shows the fields that differ, and the first five elements of lists that do', () => {
  const tally = answerTally('saved_reports', () => 0);
  const rows = (n: number) => Array.from({ length: 9 }, (_, i) => ({ i, n: i === 0 ? 0 : n }));
  tally.count(
    { id: 1 },
    { before: { a: 1, b: { c: 1, d: 2 }, rows: rows(1) }, after: { a: 1, b: { c: 1, d: 3 }, rows: rows(2) } },
  );
  tally.count({ id: 2 }, { before: null, after: { a: 1 } });
  tally.count({ id: 3 }, { before: rows(1), after: rows(1) });
  expect(tally.result).toMatchObject({ compared: 3, differing: 2 });
  expect(tally.result.samples).toEqual([
    {
      question: { id: 1 },
      before: { b: { d: 2 }, rows: rows(1).slice(1, 6) },
      after: { b: { d: 3 }, rows: rows(2).slice(1, 6) },
    },
    { question: { id: 2 }, before: null, after: { a: 1 } },
  ]);
});
