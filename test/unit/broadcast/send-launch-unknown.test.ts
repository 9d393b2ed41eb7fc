import { beforeEach, describe, expect, test } from 'vitest';
import { PLACE } from '../../../src/domain/broadcast/sending.ts';
import type { Answer } from '../../../src/domain/broadcast/sending-answer.ts';
import type { NewCommit } from '../../../src/log/port.ts';
import { createConnections } from '../../../src/processes/broadcasts/connections.ts';
import type { Failures } from '../../../src/processes/broadcasts/failures.ts';
import { PlatformHealth } from '../../../src/processes/broadcasts/platform-health.ts';
import { SendQueue } from '../../../src/processes/broadcasts/send-queue.ts';
import type { SendingWriter } from '../../../src/processes/broadcasts/stream-writer.ts';
import { pause } from '../../../src/util/pause.ts';
import { DONE, sendOnce, writerOf } from '../../support/launch.ts';
import { longOnly } from '../../support/long-only.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';

/** A platform whose answers do not say whether it has sent the message. */

const chats = Array.from({ length: 200 }, (_, i) => i + 1);
/** The clock, ms. Only the test moves it, so a busy machine delays nothing. */
let now: number;
let log: MemoryLog;
let called: number[];
/** The platform's answer to a call; tests replace it. */
let answer: (written: () => void) => Promise<Answer>;
let stop: AbortController;
let health: PlatformHealth;
let queue: SendQueue;
const elapsed = () => now;
const failures: Failures = { isFailing: false, failed: () => 5, recovered: () => {} };
const waitMs = (): number => health.status().waitMs;
const written = (answer: Answer) => async (write: () => void) => {
  write();
  return answer;
};

/** Begins to send as a new sender. */
const begin = (): Promise<SendingWriter> => {
  stop = new AbortController();
  health = new PlatformHealth({ now: () => Date.UTC(2026, 0) + now, elapsed: () => now, report: () => {} });
  queue = new SendQueue(createConnections(10), 10, elapsed, stop.signal);
  now += 2000;
  const isSending = async () => !stop.signal.aborted;
  const noted = (chat: number, write: () => void) =>
    answer(() => {
      called.push(chat);
      write();
    });
  return sendOnce({ log, failures, answer: noted }, { chats, cap: 30, queue, elapsed, health, isSending });
};
/** Lets time pass until the condition holds. */
const until = async (so: () => boolean | Promise<boolean>, stepMs = 20): Promise<void> => {
  while (!(await so())) {
    now += stepMs;
    await pause(5);
  }
};
/** Lets time pass until the sender has ended. */
const end = async (sending: Promise<SendingWriter>): Promise<SendingWriter> => {
  let ended = false;
  void sending.finally(() => {
    ended = true;
  });
  await until(() => ended);
  return sending;
};
const isSlowed = async () => {
  const error = (await writerOf(log)).state.paused?.error ?? '';
  return /^the platform has given no usable answer since 2026-01-01T00:00:\d\d.*: the answer, HTTP 502/.test(error);
};
const isStill = async () => {
  const { length } = called;
  queue.wake(); // its own timer follows another clock
  await pause(300);
  expect(called).toHaveLength(length);
};

beforeEach(() => {
  now = 0;
  log = memoryLog();
  called = [];
  answer = written({ type: 'answered', status: 502, body: '<html>' });
});

longOnly(
  'a platform that answers only 502 costs less than half of the audience, then one recipient an attempt, until it answers again',
  async () => {
    const sending = begin();
    await until(isSlowed);
    const lost = called.length;
    expect(lost).toBeGreaterThanOrEqual(10);
    expect(lost).toBeLessThan(100);
    await isStill();
    for (const [tries, seconds] of [4, 8].entries()) {
      expect(waitMs()).toBeGreaterThan(0);
      expect(waitMs()).toBeLessThanOrEqual(seconds * 1000);
      now += waitMs() - 1;
      await isStill();
      now += 1;
      await expect.poll(() => called.length, WAIT).toBe(lost + tries + 1);
      await expect.poll(() => waitMs(), WAIT).toBe(2 * seconds * 1000);
    }

    answer = written(DONE);
    const { state } = await end(sending);
    expect(called.toSorted((a, b) => a - b)).toEqual(chats);
    expect(state.places.filter((place) => place === PLACE.unknown)).toHaveLength(lost + 2);
    expect(state.paused).toBe(null);
  },
);

const WAIT = { timeout: 10_000 };

test('the sender that takes over makes one call to a platform that answered only 502', async () => {
  const first = begin();
  await until(isSlowed);
  stop.abort();
  await end(first);
  const lost = called.length;
  const second = begin();
  await until(() => called.length > lost);
  await expect.poll(() => waitMs(), WAIT).toBe(4000);
  now += 3999;
  await isStill();
  expect(called).toHaveLength(lost + 1);
  stop.abort();
  await end(second);
});

test('a bug before a call is written does not end the pause of a platform without usable answers', async () => {
  const sending = begin();
  await until(isSlowed);
  let broken = 0;
  answer = async () => {
    broken++;
    throw new TypeError('a mistake before the call');
  };
  await until(() => broken > 0);
  await end(sending);
  expect(health.status().pause?.error).toMatch(/no usable answer/);
});

describe('if the log does not answer for longer than the pause lasts', () => {
  /** Calls under way that have no answer yet. */
  let open: ((answer: Answer) => void)[];
  let release: () => void;
  /** Which appends the log does not answer; tests replace it. */
  let holds: (commit: NewCommit) => boolean;
  let isHeld: boolean;
  const BAD: Answer = { type: 'answered', status: 502, body: '<html>' };
  const unanswered = (write: () => void): Promise<Answer> => {
    write();
    return new Promise((resolve) => {
      open.push(resolve);
    });
  };

  beforeEach(() => {
    open = [];
    isHeld = false;
    holds = () => false;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { append } = log;
    log.append = async (commit) => {
      if (holds(commit)) {
        isHeld = true;
        await released;
      }
      return append(commit);
    };
  });

  /** The calls under way get no usable answer, and the log answers only after the pause. */
  async function expectOneCall(sending: Promise<SendingWriter>): Promise<void> {
    answer = written(BAD);
    for (const answered of open.splice(0)) answered(BAD);
    await until(() => waitMs() > 0);
    const lost = called.length;
    now += 4000;
    await isStill();
    holds = () => false;
    release();
    answer = unanswered;
    await until(() => called.length > lost);
    const enough = now + 400;
    await until(() => now > enough);
    expect(called).toHaveLength(lost + 1);
    open.shift()!(BAD);
    stop.abort();
    const { state } = await end(sending);
    expect(state.claims.size).toBe(0);
  }

  test('recipients that were claimed before the pause are not called', async () => {
    answer = written(DONE);
    const sending = begin();
    await until(() => called.length >= 10);
    answer = unanswered;
    await until(() => open.length === 10); // as many as may be under way
    holds = () => true;
    open.shift()!(DONE);
    await until(() => isHeld);
    await expectOneCall(sending);
  });

  test('recipients whose claim was under way at the pause are not called', async () => {
    answer = written(DONE);
    let claimed = 0;
    holds = ({ events }) => {
      const claims = events.flatMap((event) => (event.type === 'batch_claimed' ? [event.data] : []));
      // A claim while as many wait as may be under way. On a busy machine that may be a later one than usual.
      const isHolding = called.length > 10 && claims.length > 0 && claimed - called.length >= 10;
      for (const { recipients } of claims as { readonly recipients: readonly [number, number][] }[])
        for (const [first, last] of recipients) claimed += last - first + 1;
      // From here on, so that those who are claimed already stay under way.
      if (isHolding) answer = unanswered;
      return isHolding;
    };
    const sending = begin();
    // In small steps, so that little is sent while a busy machine gets from the decision to claim to the append.
    await until(() => isHeld, 2);
    await until(() => open.length === 10);
    await expectOneCall(sending);
  });
});
