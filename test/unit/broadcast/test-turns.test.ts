import { expect, it } from 'vitest';
import { createTestTurns, MAX_TEST_SENDS } from '../../../src/api/broadcast/test-turns.ts';
import { NEVER_PAUSED } from '../../../src/domain/broadcast/bot-pause.ts';

/** Turns at a time that the test sets. */
function turnsAt() {
  const time = { ms: 0 };
  return { time, turns: createTestTurns({ now: () => time.ms, elapsed: () => time.ms }) };
}

it('a bot has two tests under way at most, and a turn again when one has ended', () => {
  const { time, turns } = turnsAt();
  const end = turns.take('a', 1, NEVER_PAUSED);
  time.ms = 1000;
  turns.take('a', 1, NEVER_PAUSED);
  time.ms = 2000;
  const third = () => turns.take('a', 1, NEVER_PAUSED);
  expect(third).toThrow(expect.objectContaining({ status: 429, retryAfter: 1 }));
  turns.take('b', 1, NEVER_PAUSED);
  end();
  third();
});

it('no test of any bot waits for a connection', () => {
  const { turns } = turnsAt();
  const ends = Array.from({ length: MAX_TEST_SENDS }, (_, i) => turns.take(`bot ${i}`, 1, NEVER_PAUSED));
  const next = () => turns.take('another', 1, NEVER_PAUSED);
  expect(next).toThrow(expect.objectContaining({ status: 503, retryAfter: 1 }));
  ends[3]!();
  next();
  expect(() => turns.take('one more', 1, NEVER_PAUSED)).toThrow(expect.objectContaining({ status: 503 }));
});

it('a bot sends one message a second, and none while it must rest', () => {
  const { time, turns } = turnsAt();
  const early = () => turns.take('a', 1, NEVER_PAUSED);
  turns.take('a', 3, NEVER_PAUSED)();
  time.ms = 2999;
  expect(early).toThrow(expect.objectContaining({ status: 429 }));
  time.ms = 3000;
  early()();
  turns.rest('a', 5000);
  time.ms = 7999;
  expect(early).toThrow(expect.objectContaining({ status: 429 }));
  time.ms = 8000;
  expect(() => turns.take('a', 1, { until: 9000, lengthMs: null })).toThrow(expect.objectContaining({ status: 429 }));
  early();
});
