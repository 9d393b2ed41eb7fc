import { expect, it } from 'vitest';
import { createRest } from '../../src/processes/rest.ts';
import { pause } from '../../src/util/pause.ts';
import { newBot, newCommit } from '../support/log.ts';
import { memoryLog } from '../support/memory-log.ts';

/** Far shorter than the slow look of a process that nothing wakes. */
const LOOK_MS = 5;
const never = new AbortController().signal;

async function isOver(resting: Promise<void>): Promise<boolean> {
  let over = false;
  void resting.then(() => (over = true));
  await pause(20 * LOOK_MS);
  return over;
}

it('rests while what was looked at has all of the log, until the log grows', async () => {
  const log = memoryLog();
  await log.append(newCommit(`intake-${newBot()}`));
  const pausing = createRest({ log, slowLookMs: 60_000 });
  pausing.begin();
  const resting = pausing.rest(LOOK_MS, [await log.endCursor()], never);
  expect(await isOver(resting)).toBe(false);
  await log.append(newCommit(`intake-${newBot()}`));
  await resting;
});

it('does not rest while what was looked at is behind the log, or the log has grown since the look began', async () => {
  const log = memoryLog();
  const pausing = createRest({ log, slowLookMs: 60_000 });
  pausing.begin();
  const before = await log.endCursor();
  await log.append(newCommit(`intake-${newBot()}`));
  await pausing.rest(LOOK_MS, [await log.endCursor()], never); // grown since
  pausing.begin();
  await pausing.rest(LOOK_MS, [await log.endCursor(), before], never); // one of them is behind
  await pausing.rest(LOOK_MS, null, never); // there is work under way
});

it('ends a rest when the clock brings something about', async () => {
  let due = false;
  const log = memoryLog();
  const pausing = createRest({ log, slowLookMs: 60_000 }, () => due);
  pausing.begin();
  const resting = pausing.rest(LOOK_MS, [await log.endCursor()], never);
  expect(await isOver(resting)).toBe(false);
  due = true;
  await resting;
});

it('looks again soon while the log does not say where it ends', async () => {
  const log = { ...memoryLog(), endCursor: () => Promise.reject(new Error('down')) };
  const pausing = createRest({ log, slowLookMs: 60_000 });
  pausing.begin();
  await pausing.rest(LOOK_MS, [new Map()], never);
});
