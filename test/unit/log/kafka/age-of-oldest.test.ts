import { expect, it } from 'vitest';
import { ageOfOldest } from '../../../../src/log/kafka/kafka-client.ts';

/** The broker's look-up for a partition whose only unread record is so old. */
const oneRecord = (ageMs: number, asked: number[]) => async (time: number) => {
  asked.push(time);
  return [time > Date.now() - ageMs ? 1 : 0];
};

it.each([1, 100, 900, 1100, 1900, 4700, 3_600_000])(
  'is an upper bound, and at most a sixteenth too high: %i ms',
  async (age) => {
    const asked: number[] = [];
    const seconds = await ageOfOldest(oneRecord(age, asked), [0]);
    expect(seconds * 1000).toBeGreaterThanOrEqual(age);
    expect(seconds * 1000).toBeLessThanOrEqual(Math.max(1000, age * 1.13));
    expect(
      asked.filter((time) => !Number.isInteger(time)),
      'a broker takes whole milliseconds only',
    ).toEqual([]);
  },
);
