import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LaunchPlan } from '../../../src/processes/broadcasts/launch-state.ts';
import {
  type Answer,
  FIRST_CHAT,
  finish,
  ID,
  type Move,
  PLATFORMS,
  SENDER,
  type Status,
  World,
} from '../../support/launch-model.ts';

/** The reducer of a launch by itself, under every order of inputs. */

/** Longer than a claim may last, and than the next recipient may wait. */
const MOST_MS = 40_000;

const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('due' as const),
      afterMs: fc.oneof({ weight: 9, arbitrary: fc.nat(400) }, fc.nat(MOST_MS)),
    }),
  },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('turns' as const), count: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('answer' as const),
      call: fc.nat(20),
      answer: fc.oneof(
        { weight: 4, arbitrary: fc.constant<Answer>('delivered') },
        { weight: 3, arbitrary: fc.constantFrom<Answer>('with_file', 'blocked', 'refused', 'unknown', 'not_sent') },
        { weight: 1, arbitrary: fc.constantFrom<Answer>('limited', 'unauthorized') },
      ),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('complete' as const),
      task: fc.nat(3),
      ok: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, fc.constant(false)),
      status: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom<Status>('active', 'no user') },
        fc.constantFrom<Status>('blocked', 'deactivated', 'erased'),
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('platform' as const),
      is: fc.constantFrom(...(Object.keys(PLATFORMS) as (keyof typeof PLATFORMS)[])),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('rested' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom('failed', 'cancelled', 'aborted', 'expired') as fc.Arbitrary<'failed'>,
    }),
  },
);

const plans: fc.Arbitrary<LaunchPlan> = fc.record({
  broadcastId: fc.constant(ID),
  launch: fc.constant(1),
  sender: fc.constant(SENDER),
  chats: fc.integer({ min: 1, max: 40 }).map((count) => Array.from({ length: count }, (_, i) => FIRST_CHAT + i)),
  message: fc.record({ units: fc.integer({ min: 1, max: 3 }), urls: fc.subarray(['https://example.com/a.jpg']) }),
  cap: fc.integer({ min: 1, max: 60 }),
  onLimit: fc.record({ stop: fc.boolean(), extraDelay: fc.nat(10) }),
  opensAt: fc.nat(1000),
});

test('calls each recipient at most once, records one outcome of each claim, calls none after the end or across a rest, and ends', () => {
  const ends = new Set<string>();
  fc.assert(
    fc.property(
      plans,
      fc.boolean(),
      fc.array(moves, { minLength: 20, maxLength: 200, size: 'max' }),
      (plan, isFailing, all) => {
        const world = new World(plan, isFailing);
        for (const move of all) if (world.end === null) world.apply(move);
        if (world.end === null) finish(world);
        ends.add(world.end!.type);
        if (world.causes.size === 0) expect(world.end).toEqual({ type: 'finished' });
      },
    ),
    { numRuns: 1000 },
  );
  expect([...ends].sort()).toEqual(['broken', 'cancelled', 'failed', 'finished', 'interrupted', 'stopped']);
});
