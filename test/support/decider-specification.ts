import { expect } from 'vitest';
import type { Decider, Decision } from '../../src/domain/decider.ts';
import { Rejection, type RejectionCode } from '../../src/domain/rejection.ts';

/**
 * Given past events, when a command runs, then it yields these events or is refused. Events pass through their stored
 * form, so that each specification also proves that its events can be written and read.
 */
export function given<State, Event>(decider: Decider<State, Event>, ...past: readonly Event[]) {
  const fold = (events: readonly Event[]): State =>
    events.map((event) => stored(decider, event)).reduce(decider.evolve, decider.initialState());
  return {
    when(decide: (state: State) => Decision<Event>) {
      const decision = decide(fold(past));
      return {
        yields(...expected: readonly Event[]): void {
          if (decision instanceof Rejection) throw decision;
          expect(decision.map((event) => stored(decider, event))).toEqual(expected);
        },
        yieldsNothing(): void {
          expect(decision).toEqual([]);
        },
        isRefused(code: RejectionCode, path: string): void {
          expect(decision).toBeInstanceOf(Rejection);
          expect(decision).toMatchObject({ code, path });
        },
        /** Expects that the same decision on its own result yields no events. */
        isIdempotent(): void {
          if (decision instanceof Rejection) throw decision;
          expect(decision).not.toEqual([]);
          expect(decide(fold([...past, ...decision]))).toEqual([]);
        },
      };
    },
    /** The state, for facts that no decision shows. */
    state: (): State => fold(past),
  };
}

function stored<State, Event>(decider: Decider<State, Event>, event: Event): Event {
  return decider.read(JSON.parse(JSON.stringify(decider.write(event))));
}
