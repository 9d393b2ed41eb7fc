import { expect, it } from 'vitest';
import { type HistoryPage, latestLines } from '../../../console/src/referrals/latest-lines.ts';

interface TestLine {
  readonly date: string;
  readonly id: number;
}

const dateOf = (second: number): string => `2026-01-01 00:00:${String(second).padStart(2, '0')}`;

/** `GET history` with `order=desc` over lines that grow by some before each request but the first. */
function growing(lines: TestLine[], newLines: (request: number) => TestLine[]) {
  let requests = 0;
  return async ({ at, limit, offset, order }: HistoryPage): Promise<TestLine[]> => {
    expect(order).toBe('desc');
    if (requests++ > 0) lines.push(...newLines(requests));
    const upTo = lines.filter(({ date }) => at === undefined || date <= at).toReversed();
    return upTo.slice(Number(offset), Number(offset) + Number(limit));
  };
}

it('has each line once while lines are added between the pages', async () => {
  // Three lines in each second, so that pages end within a second.
  const lines = Array.from({ length: 40 }, (_, id) => ({ id, date: dateOf(Math.floor(id / 3)) }));
  const ask = growing(lines, (request) => [{ id: 1000 + request, date: dateOf(20 + request) }]);
  const found = await latestLines(ask, { pageSize: 5, most: 100 });
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, i) => 39 - i));
});

it('reads a second that is longer than a page', async () => {
  const lines = Array.from({ length: 23 }, (_, id) => ({ id, date: dateOf(id < 20 ? 1 : 2) }));
  const found = await latestLines(
    growing(lines, () => []),
    { pageSize: 5, most: 100 },
  );
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 23 }, (_, i) => 22 - i));
});

it('ends with as many lines as are asked for', async () => {
  const lines = Array.from({ length: 23 }, (_, id) => ({ id, date: dateOf(id) }));
  expect(
    await latestLines(
      growing(lines, () => []),
      { pageSize: 5, most: 10 },
    ),
  ).toHaveLength(10);
});
