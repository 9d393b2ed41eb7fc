import { afterEach, describe, expect, it } from 'vitest';
import { announceWait } from '../../../src/projections/runtime/awaited.ts';
import { FollowerTimers } from '../../../src/projections/runtime/follower-timers.ts';
import { waitForReadModels } from '../../../src/projections/runtime/wait-for-read-models.ts';

/** The pause of a projector, and what cuts it short. */

const LONG_MS = 10 * 60_000;
const open: FollowerTimers[] = [];
const ended = new AbortController();
const timersOf = (model: string): FollowerTimers => {
  const timers = new FollowerTimers(ended.signal, model);
  open.push(timers);
  return timers;
};
/** Whether it has resolved; another read model's pause that has the message first shows that this one had time for it. */
const resolved = (promise: Promise<void>): (() => boolean) => {
  let done = false;
  void promise.then(() => (done = true));
  return () => done;
};
const COMMIT = new Map([[0, '01']]);

afterEach(() => {
  for (const timers of open.splice(0)) timers.close();
});

describe('the pause of a projector', () => {
  it('ends when a request waits for its read model, and for no other', async () => {
    const other = resolved(timersOf('accounts').pause(LONG_MS, 0));
    const pause = timersOf('referral').pause(LONG_MS, 0);
    announceWait('referral');
    await pause;
    expect(other()).toBe(false);
  });

  it('takes at least the time that leaves most of the processor to others', async () => {
    const awaited = timersOf('referral');
    const short = resolved(awaited.pause(LONG_MS, LONG_MS / 2));
    const heard = timersOf('referral').pause(LONG_MS, 0);
    announceWait('referral');
    await heard;
    expect(short()).toBe(false);
  });

  it('is whole again after it was cut short once', async () => {
    const timers = timersOf('referral');
    announceWait('referral');
    await timers.pause(LONG_MS, 0);
    const again = resolved(timers.pause(LONG_MS, 0));
    const heard = timersOf('accounts').pause(LONG_MS, 0);
    announceWait('accounts');
    await heard;
    expect(again()).toBe(false);
  });

  it('is cut short by a request that finds its commit missing, and not by one that finds it', async () => {
    const pause = timersOf('referral').pause(LONG_MS, 0);
    const other = resolved(timersOf('accounts').pause(LONG_MS, 0));
    const passed = async () => ({ passed: COMMIT });
    const missing = async () => ({ passed: new Map() });
    await waitForReadModels([passed], COMMIT, { timeoutMs: 20, wake: ['accounts'] });
    expect(await waitForReadModels([missing], COMMIT, { timeoutMs: 20, wake: ['referral'] })).toBeNull();
    await pause;
    expect(other()).toBe(false);
  });
});
