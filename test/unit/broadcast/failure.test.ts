import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { LogUnavailableError } from '../../../src/log/port.ts';
import { createFailure, type Failure } from '../../../src/processes/broadcasts/failure.ts';

let now: number;
let logged: { level: number; msg: string; againMs: number; err: { message: string } }[];
let told: unknown[];
let failure: Failure;
beforeEach(() => {
  now = 0;
  logged = [];
  told = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  failure = createFailure({
    broadcast: 1,
    logger,
    elapsed: () => now,
    tell: (trouble) => told.push(trouble),
  });
});

/** Tried again and again as soon as it says. @returns the waits */
function failing(times: number, error: Error): number[] {
  return Array.from({ length: times }, () => {
    const wait = failure.failed(error);
    now += wait;
    return wait;
  });
}

test('what fails again is tried ever less often, up to 5 minutes, and logged once', () => {
  expect(failing(8, new Error('a mistake'))).toEqual([4, 8, 16, 32, 64, 128, 256, 300].map((s) => s * 1000));
  expect(logged.map(({ err, level }) => [err.message, level])).toEqual([['a mistake', 50]]);
  expect(logged).toMatchObject([{ msg: 'failed to send broadcast; retrying', againMs: 4000 }]);
  expect(told.at(-1)).toEqual({ error: 'a mistake', againMs: 300_000 });
  failing(1, new Error('another'));
  expect(logged).toHaveLength(2);
});

test('who has gone on for a minute fails anew, but not who failed in between', () => {
  failing(3, new Error('a mistake'));
  failure.mended();
  expect(told.at(-1)).toBe(null);
  expect(failing(1, new Error('a mistake'))).toEqual([32_000]);
  expect(logged).toHaveLength(1);
  now += 60_000;
  expect(failure.isFailing).toBe(false);
  expect(failing(1, new Error('a mistake'))).toEqual([4000]);
  expect(logged).toHaveLength(2);
});

test('what is away is tried as often as ever, and is not told as a trouble of the broadcast', () => {
  expect(failing(3, new LogUnavailableError('the broker is away'))).toEqual([4000, 4000, 4000]);
  expect(logged.map(({ level }) => level)).toEqual([40]);
  failure.mended();
  expect(told).toEqual([]);
});
