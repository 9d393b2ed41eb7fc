import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createGoal,
  type EventTypesEvent,
  eventTypes,
  MAX_EVENT_NAMES,
  registerNames,
} from '../../../src/domain/catalog/event-types.ts';
import { Rejection } from '../../../src/domain/rejection.ts';
import { given } from '../../support/decider-specification.ts';

const named = (event_id: number, name: string): EventTypesEvent => ({
  type: 'event_type_registered',
  data: { event_id, name },
});
const goal = (event_id: number, target_id: number, name: string): EventTypesEvent => ({
  type: 'goal_created',
  data: { event_id, target_id, name },
});

describe('event types of a bot', () => {
  it('get ids from one sequence, names and goals alike', () => {
    given(eventTypes)
      .when((state) => registerNames(state, ['a', 'b', 'a'], 0))
      .yields(named(101, 'a'), named(102, 'b'));
    given(eventTypes, named(101, 'a'), goal(102, 2, 'Sign-up'))
      .when((state) => registerNames(state, ['b', 'a', 'Sign-up'], 0))
      .yields(named(103, 'b'), named(104, 'Sign-up'));
    given(eventTypes, named(101, 'a'))
      .when((state) => createGoal(state, { target_id: 2, name: 'Sign-up' }, 0))
      .yields(goal(102, 2, 'Sign-up'));
  });

  it('have ids above the floor of a recovery', () => {
    given(eventTypes, named(101, 'a'))
      .when((state) => registerNames(state, ['a', 'b', 'c'], 5000))
      .yields(named(5001, 'b'), named(5002, 'c'));
    given(eventTypes, named(5001, 'a'))
      .when((state) => registerNames(state, ['b'], 5000))
      .yields(named(5002, 'b'));
    given(eventTypes)
      .when((state) => createGoal(state, { target_id: 2, name: 'Sign-up' }, 5000))
      .yields(goal(5001, 2, 'Sign-up'));
  });

  it('refuse a target id that is taken, that of Sale too', () => {
    given(eventTypes, goal(101, 2, 'Sign-up'))
      .when((state) => createGoal(state, { target_id: 2, name: 'Other' }, 0))
      .isRefused('conflict', 'target_id');
    given(eventTypes)
      .when((state) => createGoal(state, { target_id: 1, name: 'Sale again' }, 0))
      .isRefused('conflict', 'target_id');
  });

  it('are at most 10,000 names, however many goals there are', () => {
    const full = Array.from({ length: MAX_EVENT_NAMES - 1 }, (_, index) => named(102 + index, `n${index}`));
    const past = [goal(101, 2, 'Sign-up'), ...full];
    given(eventTypes, ...past)
      .when((state) => registerNames(state, ['n0', 'last', 'last'], 0))
      .yields(named(102 + MAX_EVENT_NAMES - 1, 'last'));
    given(eventTypes, ...past)
      .when((state) => registerNames(state, ['last', 'one more'], 0))
      .isRefused('limit', '1');
  });

  it('never share an id or a name, for any commands in any order', () => {
    const wish = fc.oneof(
      fc.array(fc.string({ maxLength: 2 }), { maxLength: 4 }).map((names) => ({ names })),
      fc.integer({ min: 1, max: 6 }).map((target_id) => ({ target_id })),
    );
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 30, size: 'max' }), (wishes) => {
        let state = eventTypes.initialState();
        const ids: number[] = [];
        for (const asked of wishes) {
          const decision =
            'names' in asked ? registerNames(state, asked.names, 0) : createGoal(state, { ...asked, name: 'goal' }, 0);
          if (decision instanceof Rejection) continue;
          ids.push(...decision.map(({ data }) => data.event_id));
          state = decision.reduce(eventTypes.evolve, state);
          if ('names' in asked) expect(registerNames(state, asked.names, 0)).toEqual([]);
        }
        expect(ids).toEqual(ids.map((_, index) => 101 + index));
      }),
    );
  });
});
