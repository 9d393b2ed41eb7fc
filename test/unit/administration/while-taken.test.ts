import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { whileTaken } from '../../../src/administration/export/while-taken.ts';

const PART = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251);
const onStall = vi.fn();

async function* partsOf(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

beforeEach(() => {
  vi.useFakeTimers();
  onStall.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
});

it('gives all bytes to a caller that takes one slice of a large part after the other, slowly', async () => {
  const taken: Uint8Array[] = [];
  for await (const slice of whileTaken(
    partsOf(PART, PART.subarray(0, 10)),
    { stallMs: 1000, totalMs: 10_000 },
    onStall,
  )) {
    taken.push(slice);
    vi.advanceTimersByTime(900);
  }
  expect(Buffer.concat(taken).equals(Buffer.concat([PART, PART.subarray(0, 10)]))).toBe(true);
  expect(taken.map(({ length }) => length)).toEqual([65_536, 65_536, 65_536, 3392, 10]);
  vi.advanceTimersByTime(10_000);
  expect(onStall).not.toHaveBeenCalled();
});

it('tells of a caller that takes no slice for the time', async () => {
  const slices = whileTaken(partsOf(PART), { stallMs: 1000, totalMs: 10_000 }, onStall);
  await slices.next();
  vi.advanceTimersByTime(999);
  expect(onStall).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onStall).toHaveBeenCalledOnce();
  await slices.return(undefined);
});

it('tells of a caller that takes each slice in time, but not all of them', async () => {
  const slices = whileTaken(partsOf(PART, PART, PART), { stallMs: 1000, totalMs: 4000 }, onStall);
  for (let taken = 0; taken < 5; taken++) {
    await slices.next();
    expect(onStall).not.toHaveBeenCalled();
    vi.advanceTimersByTime(900);
  }
  expect(onStall).toHaveBeenCalledOnce();
  await slices.return(undefined);
});
