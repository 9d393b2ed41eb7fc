import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cursor, hasPassedAll } from '../../../src/log/port.ts';
import { BadCommitError } from '../../../src/projections/runtime/bad-commit.ts';
import {
  advance,
  afterStop,
  aimAt,
  CLOSE_MS,
  CONDUCT,
  type FollowProgress,
  type FollowState,
  finish,
  initialState,
  stoppedBy,
} from '../../../src/projections/runtime/follow-states.ts';

const at = (place: number): Cursor => new Map([[0, `0:${String(place).padStart(4, '0')}`]]);
const progress = (place: number, rest: Partial<FollowProgress> = {}): FollowProgress => ({
  applied: at(place),
  hasDeferredWork: false,
  nowMs: 0,
  ...rest,
});
const building: FollowState = { name: 'building', goal: { end: at(5), notedAtMs: 0 } };
const catchingUp: FollowState = { name: 'catching up', goal: { end: at(5), notedAtMs: 0 } };
const following: FollowState = { name: 'following' };

describe('a version that is being built', () => {
  it('begins by noting the log end', () => {
    const state = initialState(true);
    expect(advance(state, progress(0))).toEqual({ state, todo: 'note the log end' });
    expect(aimAt(state, building.goal!)).toEqual(building);
  });

  it('stays building until it has applied the log up to that end', () => {
    expect(advance(building, progress(4))).toEqual({ state: building, todo: 'nothing' });
    expect(advance(building, progress(5))).toEqual({ state: catchingUp, todo: 'do deferred work' });
  });

  it('leaves work that is cheaper if done once, until it has reached that end', () => {
    expect(CONDUCT.building.defersMore).toBe(true);
    expect(CONDUCT['catching up'].defersMore).toBe(false);
  });

  it('stops at each bad event, whatever the policy says', () => {
    expect([CONDUCT.building.isStrict, CONDUCT['catching up'].isStrict]).toEqual([true, true]);
  });
});

describe('a version that catches up', () => {
  it('does its deferred work first', () => {
    const busy = progress(5, { hasDeferredWork: true });
    expect(advance(catchingUp, busy)).toEqual({ state: catchingUp, todo: 'nothing' });
  });

  it('is built if the log end that it has reached was noted less than a second ago', () => {
    const now = progress(5, { nowMs: CLOSE_MS - 1 });
    expect(advance(catchingUp, now)).toEqual({ state: catchingUp, todo: 'finish building' });
    expect(finish(catchingUp)).toEqual(following);
  });

  it('aims at the present log end if it took a second or longer', () => {
    const late = progress(5, { nowMs: CLOSE_MS });
    expect(advance(catchingUp, late)).toEqual({ state: catchingUp, todo: 'note the log end' });
    const next = aimAt(catchingUp, { end: at(8), notedAtMs: CLOSE_MS });
    expect(next).toEqual({ name: 'catching up', goal: { end: at(8), notedAtMs: CLOSE_MS } });
    expect(advance(next, late)).toEqual({ state: next, todo: 'nothing' });
  });
});

describe('a version that is built', () => {
  it('begins as following and stays so', () => {
    expect(initialState(false)).toEqual(following);
    expect(advance(following, progress(0, { hasDeferredWork: true }))).toEqual({ state: following, todo: 'nothing' });
    expect(aimAt(following, building.goal!)).toEqual(following);
    expect(finish(following)).toEqual(following);
  });

  it('pauses after small batches and does not read ahead', () => {
    expect(CONDUCT.following).toMatchObject({ pauses: true, readsAhead: false });
  });
});

describe('a projector that has stopped', () => {
  const bad = new BadCommitError('commit 7 cannot be applied', undefined, {});

  it('ends if the version is dropped, whatever the error', () => {
    const stopped = stoppedBy(bad, true);
    expect(stopped.reason).toBe('dropped');
    expect(afterStop(stopped)).toBe('end');
  });

  it('ends at a bad event', () => {
    const stopped = stoppedBy(bad, false);
    expect(stopped.reason).toBe('bad event');
    expect(afterStop(stopped)).toBe('end');
  });

  it('retries after any other error', () => {
    const stopped = stoppedBy(new Error('no connection'), false);
    expect(stopped.reason).toBe('failed');
    expect(afterStop(stopped)).toBe('retry after a pause');
  });

  it('takes the lease again after it was interrupted', () => {
    expect(afterStop({ name: 'stopped', reason: 'interrupted' })).toBe('take the lease again');
  });
});

it('a version is built only at a fresh log end, without deferred work, and never becomes unbuilt', () => {
  const step = fc.record({
    applies: fc.nat(3),
    grows: fc.nat(3),
    takesMs: fc.nat(1500),
    hasDeferredWork: fc.boolean(),
  });
  const rank = { building: 0, 'catching up': 1, following: 2 };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      let state = initialState(true);
      let [applied, end, nowMs] = [0, 0, 0];
      for (const { applies, grows, takesMs, hasDeferredWork } of steps) {
        end += grows;
        applied = Math.min(end, applied + applies);
        nowMs += takesMs;
        const next = advance(state, progress(applied, { hasDeferredWork, nowMs }));
        expect(rank[next.state.name]).toBeGreaterThanOrEqual(rank[state.name]);
        state = next.state;
        if (next.todo === 'note the log end') state = aimAt(state, { end: at(end), notedAtMs: nowMs });
        if (next.todo !== 'finish building') continue;
        const { goal } = state as typeof catchingUp;
        expect(hasDeferredWork).toBe(false);
        expect(nowMs - goal.notedAtMs).toBeLessThan(CLOSE_MS);
        expect(hasPassedAll(at(applied), goal.end)).toBe(true);
        state = finish(state);
        expect(state).toEqual(following);
      }
    }),
  );
});
