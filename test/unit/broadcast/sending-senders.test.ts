import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answered, abandonClaims, answerBatch, claimBatch } from '../../../src/domain/broadcast/batches.ts';
import {
  isAllAttempted,
  openPlaces,
  PLACE,
  pauseSending,
  type SendingEvent,
  type SendingState,
  sending,
} from '../../../src/domain/broadcast/sending.ts';
import { placesOf } from '../../../src/domain/broadcast/sending-events.ts';
import { hasRefused, reopenRefused } from '../../../src/domain/broadcast/sending-reopened.ts';
import { Rejection } from '../../../src/domain/rejection.ts';

/** Several senders at once, in every order of acts: no recipient is called twice. */

const ID = 7;
const claim = (count: number, audience: number, launch: number | undefined) => ({
  broadcast_id: ID,
  launch: launch!,
  sender: 'a',
  audience,
  count,
});

/** Recipients that were called, or may have been. */
function attemptedBy(event: SendingEvent): number[] {
  const ranges =
    event.type === 'batch_abandoned'
      ? event.data.recipients
      : event.type === 'batch_answered'
        ? event.data.outcomes.flatMap(({ outcome, recipients }) => (outcome === 'returned' ? [] : recipients))
        : [];
  return [...placesOf(ranges)];
}

/** Recipients whose calls were refused because of the message itself. */
function refusedBy(event: SendingEvent): number[] {
  if (event.type !== 'batch_answered') return [];
  return event.data.outcomes
    .filter(({ of_message }) => of_message === true)
    .flatMap(({ recipients }) => [...placesOf(recipients)]);
}

/** `refused`: not delivered, since the platform refused the message itself. */
type Ending = Answered['outcome'] | 'refused';

/** The acts of senders, in any order. Each sender acts on a state of the stream that may be old, as in the log. */
type Move =
  | { readonly type: 'claim'; readonly sender: number; readonly count: number }
  | { readonly type: 'answer'; readonly sender: number; readonly outcome: Ending; readonly part: number }
  | { readonly type: 'crash'; readonly sender: number }
  /** The platform has told its bot to wait. */
  | { readonly type: 'pause'; readonly sender: number }
  /** With a message that may be another one. */
  | { readonly type: 'relaunch'; readonly sender: number };

const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('claim' as const),
      sender: fc.nat(2),
      count: fc.integer({ min: 1, max: 20 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('answer' as const),
      sender: fc.nat(2),
      outcome: fc.constantFrom('delivered', 'not_delivered', 'unknown', 'returned', 'refused'),
      part: fc.integer({ min: 1, max: 20 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('crash' as const), sender: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('pause' as const), sender: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('relaunch' as const), sender: fc.nat(2) }) },
);

test('no recipient is claimed after a call that may have been made, nor by an earlier launch after it was reopened; each ends in one state, and the sums add up', () => {
  fc.assert(
    fc.property(fc.array(moves, { maxLength: 80, size: 'max' }), fc.integer({ min: 1, max: 60 }), (all, audience) => {
      let state: SendingState = sending.initialState();
      const attempted = new Set<number>();
      /** Recipients whose last call was refused because of the message itself: certainly not sent. */
      const refused = new Set<number>();
      /** The last launch that has reopened recipients. */
      let reopenedBy = 0;
      /** The launch that each sender believes in. */
      const launches = [1, 1, 1];
      const runs = [0, 0, 0];
      const nameOf = (sender: number): string => `${sender}.${runs[sender]}`;
      const apply = (decision: readonly SendingEvent[] | Rejection): void => {
        if (decision instanceof Rejection) return;
        for (const stored of decision.map(sending.write)) {
          const event = sending.read(JSON.parse(JSON.stringify(stored)));
          if (event.type === 'batch_claimed') {
            expect(event.data.launch, 'an earlier launch claims').toBeGreaterThanOrEqual(reopenedBy);
            for (const [first, last] of event.data.recipients)
              for (let place = first; place <= last; place++) {
                expect(attempted.has(place), `place ${place} is claimed after an attempt`).toBe(false);
                expect(state.places[place] ?? PLACE.waiting).toBe(PLACE.waiting);
              }
          }
          for (const place of attemptedBy(event)) attempted.add(place);
          for (const place of refusedBy(event)) refused.add(place);
          if (event.type === 'recipients_reopened') {
            reopenedBy = Math.max(reopenedBy, event.data.launch);
            for (const place of placesOf(event.data.recipients)) {
              expect(refused.delete(place), `place ${place} is reopened, and may have been sent to`).toBe(true);
              attempted.delete(place);
            }
          }
          state = sending.evolve(state, event);
        }
      };
      const relaunch = (sender: number): void => {
        launches[sender] = Math.max(...launches) + 1;
        runs[sender]!++;
        apply(abandonClaims(state, ID, nameOf(sender)));
        while (hasRefused(state, launches[sender]!)) apply(reopenRefused(state, ID, launches[sender]!));
      };
      const answerAll = (sender: string, ending: Ending, part: number): void => {
        for (const [number, { sender: of, open }] of [...state.claims]) {
          if (of !== sender) continue;
          const outcome = ending === 'refused' ? 'not_delivered' : ending;
          const more = ending === 'refused' ? { of_message: true } : {};
          const list = [...open].slice(0, part).map((place): Answered => ({ place, outcome, reason: null, ...more }));
          apply(answerBatch(state, ID, number, list));
        }
      };
      for (const move of all)
        switch (move.type) {
          case 'claim':
            apply(
              claimBatch(state, {
                ...claim(move.count, audience, launches[move.sender]),
                sender: nameOf(move.sender),
              }),
            );
            break;
          case 'pause':
            apply(pauseSending(state, ID, launches[move.sender]!, { until: 5000, error: null, limited: true }));
            break;
          case 'relaunch':
            relaunch(move.sender);
            break;
          case 'answer':
            answerAll(nameOf(move.sender), move.outcome, move.part);
            break;
          case 'crash':
            runs[move.sender]!++;
            apply(abandonClaims(state, ID, nameOf(move.sender)));
        }
      // The last sender finishes.
      relaunch(0);
      for (let rounds = 0; !isAllAttempted(state, audience); rounds++) {
        expect(rounds).toBeLessThan(200);
        apply(claimBatch(state, { ...claim(10, audience, launches[0]), sender: nameOf(0) }));
        answerAll(nameOf(0), 'delivered', 10);
      }
      expect(attempted.size).toBe(audience);
      expect(openPlaces(state)).toBe(0);
      expect(state.attempted).toBe(audience);
    }),
    { numRuns: 300 },
  );
});
