import { expect, it } from 'vitest';
import { sharedCall } from '../../../src/util/shared-call.ts';

/** Calls that the test ends. Each returns the count at its begin. */
function slowly() {
  const ends: ((fails?: Error) => void)[] = [];
  let there = 0;
  const call = sharedCall(() => {
    const seen = there;
    return new Promise<number>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve(seen) : reject(error)));
    });
  });
  const begun = async (n: number): Promise<void> => {
    while (ends.length < n) await Promise.resolve();
  };
  return { call, ends, begun, add: () => ++there };
}

it('callers that come while a call runs share the next one, which begins after they came', async () => {
  const { call, ends, begun, add } = slowly();
  add();
  const first = call();
  await begun(1);
  add();
  const [second, third] = [call(), call()];
  ends[0]!();
  expect(await first).toBe(1);
  await begun(2);
  ends[1]!();
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  expect(ends).toHaveLength(2);
});

it('a failed call fails the callers that share it, and no others', async () => {
  const { call, ends, begun } = slowly();
  const failed = [call(), call()].map((each) => each.catch((error: Error) => error.message));
  await begun(1);
  const next = call();
  ends[0]!(new Error('no answer'));
  expect(await Promise.all(failed)).toEqual(['no answer', 'no answer']);
  await begun(2);
  ends[1]!();
  expect(await next).toBe(0);
});
