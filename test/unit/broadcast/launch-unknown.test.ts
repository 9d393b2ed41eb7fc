import { beforeEach, expect, test } from 'vitest';
import { PLACE } from '../../../src/domain/broadcast/sending.ts';
import type { Answer } from '../../../src/domain/broadcast/sending-answer.ts';
import { pause } from '../../../src/pause.ts';
import type { Failure } from '../../../src/processes/broadcasts/failure.ts';
import { createLane } from '../../../src/processes/broadcasts/lane.ts';
import type { SendingLedger } from '../../../src/processes/broadcasts/ledger.ts';
import { createSlots } from '../../../src/processes/broadcasts/slots.ts';
import { createTrouble } from '../../../src/processes/broadcasts/trouble.ts';
import { DONE, ledgerOf, sendOnce } from '../../support/launch.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';

/** A platform whose answers do not say whether it has sent the message. */

const chats = Array.from({ length: 200 }, (_, i) => i + 1);
let ahead: number;
let log: MemoryLog;
let called: number[];
let answer: Answer;
let stop: AbortController;
const elapsed = () => performance.now() + ahead;
const trouble = () => createTrouble({ now: () => Date.now() + ahead, tell: () => {} });
const failure: Failure = { isFailing: false, failed: () => 5, mended: () => {} };
const noted = async (chat: number, written: () => void): Promise<Answer> => {
  called.push(chat);
  written();
  return answer;
};

/** Begins to send, as a new sender does. */
const begin = (): Promise<SendingLedger> => {
  stop = new AbortController();
  const lane = createLane(createSlots(10), 10, elapsed, stop.signal);
  ahead += 2000;
  const isSending = async () => !stop.signal.aborted;
  return sendOnce({ log, failure, answer: noted }, { chats, cap: 30, lane, elapsed, trouble: trouble(), isSending });
};
const error = async () => (await ledgerOf(log)).state.paused?.error;
const isSlowed = () =>
  expect
    .poll(error, WAIT)
    .toEqual(expect.stringMatching(/^the platform has given no usable answer since 20.*: the answer, HTTP 502/));
const WAIT = { timeout: 10_000 };

beforeEach(() => {
  ahead = 0;
  log = memoryLog();
  called = [];
  answer = { type: 'answered', status: 502, body: '<html>' };
});

test('a platform that answers only 502 costs some of the audience and then one recipient a try, until it answers again', async () => {
  const sending = begin();
  await isSlowed();
  const lost = called.length;
  expect(lost).toBeGreaterThanOrEqual(10);
  expect(lost).toBeLessThan(100);
  await pause(300);
  expect(called).toHaveLength(lost);
  for (const [tries, seconds] of [4, 8].entries()) {
    ahead += seconds * 1000 - 1000;
    await pause(300);
    expect(called).toHaveLength(lost + tries);
    ahead += 1000;
    await expect.poll(() => called.length, WAIT).toBe(lost + tries + 1);
  }

  answer = DONE;
  ahead += 16_000;
  const { state } = await sending;
  expect(called.toSorted((a, b) => a - b)).toEqual(chats);
  expect(state.places.filter((place) => place === PLACE.unknown)).toHaveLength(lost + 2);
  expect(state.paused).toBe(null);
}, 60_000);

test('a platform that answered only 502 is asked for one recipient by the sender that takes over', async () => {
  const first = begin();
  await isSlowed();
  stop.abort();
  await first;
  const lost = called.length;
  const second = begin();
  await expect.poll(() => called.length, WAIT).toBe(lost + 1);
  await pause(500);
  expect(called).toHaveLength(lost + 1);
  stop.abort();
  await second;
});
