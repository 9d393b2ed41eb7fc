import { expect, it } from 'vitest';
import { createAwaitedTime, createRest } from '../../../src/processes/wait-for-work.ts';
import { pause } from '../../../src/util/pause.ts';
import { newBot, newCommit } from '../../support/log.ts';
import { memoryLog } from '../../support/memory-log.ts';

/** Far shorter than the slow poll of a process that no event wakes. */
const LOOK_MS = 5;
const never = new AbortController().signal;

async function isOver(resting: Promise<void>): Promise<boolean> {
  let over = false;
  void resting.then(() => (over = true));
  await pause(20 * LOOK_MS);
  return over;
}

it('rests while the read cursors are at the log end, until the log grows', async () => {
  const log = memoryLog();
  await log.append(newCommit(`intake-${newBot()}`));
  const pausing = createRest({ log, slowLookMs: 60_000, partitions: new Set([0]) });
  pausing.begin();
  const resting = pausing.rest(LOOK_MS, [await log.endCursor()], never);
  expect(await isOver(resting)).toBe(false);
  await log.append(newCommit(`intake-${newBot()}`));
  await resting;
});

it('does not rest while a read cursor is behind the log end, or after the log has grown since the poll began', async () => {
  const log = memoryLog();
  const pausing = createRest({ log, slowLookMs: 60_000, partitions: new Set([0]) });
  pausing.begin();
  const before = await log.endCursor();
  await log.append(newCommit(`intake-${newBot()}`));
  await pausing.rest(LOOK_MS, [await log.endCursor()], never); // grown since
  pausing.begin();
  await pausing.rest(LOOK_MS, [await log.endCursor(), before], never); // one of them is behind
  await pausing.rest(LOOK_MS, null, never); // there is work under way
});

it('ends a rest when timed work is due', async () => {
  let due = false;
  const log = memoryLog();
  const pausing = createRest({ log, slowLookMs: 60_000, partitions: new Set([0]) }, () => due);
  pausing.begin();
  const resting = pausing.rest(LOOK_MS, [await log.endCursor()], never);
  expect(await isOver(resting)).toBe(false);
  due = true;
  await resting;
});

it('polls again soon while the log end is unknown', async () => {
  const log = { ...memoryLog(), endCursor: () => Promise.reject(new Error('down')) };
  const pausing = createRest({ log, slowLookMs: 60_000, partitions: new Set([0]) });
  pausing.begin();
  await pausing.rest(LOOK_MS, [new Map()], never);
});

it('a time that is awaited has come by the clock, or once its length has passed though the clock was set back', () => {
  let now = 1000;
  let elapsed = 0;
  const awaited = createAwaitedTime(
    () => now,
    () => elapsed,
  );
  expect(awaited.hasCome()).toBe(null);
  awaited.set(6000, now);
  expect(awaited.hasCome()).toBe(false);
  now = 6000;
  expect(awaited.hasCome()).toBe(true);
  now = -3_600_000;
  elapsed = 4999;
  expect(awaited.hasCome()).toBe(false);
  elapsed = 5000;
  expect(awaited.hasCome()).toBe(true);
  awaited.set(now + 86_400_000, now);
  elapsed += 60_000;
  expect(awaited.hasCome(), 'a long wait is looked at each minute').toBe(true);
  awaited.set(null, now);
  expect(awaited.hasCome()).toBe(null);
});
