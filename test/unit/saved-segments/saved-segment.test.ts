import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/domain/problem.ts';
import {
  changeSavedSegment,
  createSavedSegment,
  deleteSavedSegment,
  type SavedSegmentEvent,
  savedSegment,
} from '../../../src/domain/saved-segments/saved-segment.ts';
import { parseSavedConditions, storedConditions } from '../../../src/domain/saved-segments/stored-conditions.ts';
import { given } from '../../support/decider-specification.ts';

const saved_segment_id = 7;
const content = { saved_segment_id, name: 'Buyers', conditions: '{"event_filters":["performed_event",{}]}' };
const changed = { ...content, name: 'Buyers, often' };
const created: SavedSegmentEvent = { type: 'saved_segment_created', data: content };
const deleted: SavedSegmentEvent = { type: 'saved_segment_deleted', data: { saved_segment_id } };

describe('a saved segment', () => {
  it('is created once', () => {
    given(savedSegment)
      .when((state) => createSavedSegment(state, content))
      .yields(created);
    for (const past of [[created], [created, deleted]])
      given(savedSegment, ...past)
        .when((state) => createSavedSegment(state, content))
        .isRefused('conflict', 'saved_segment_id');
  });

  it('is changed until it is deleted, also by the same content', () => {
    for (const next of [changed, content])
      given(savedSegment, created)
        .when((state) => changeSavedSegment(state, next))
        .yields({ type: 'saved_segment_changed', data: next });
    for (const past of [[], [created, deleted]])
      given(savedSegment, ...past)
        .when((state) => changeSavedSegment(state, changed))
        .isRefused('not_found', 'saved_segment_id');
  });

  it('is deleted once', () => {
    given(savedSegment, created, { type: 'saved_segment_changed', data: changed })
      .when((state) => deleteSavedSegment(state, saved_segment_id))
      .yields(deleted);
    for (const past of [[], [created, deleted]])
      given(savedSegment, ...past)
        .when((state) => deleteSavedSegment(state, saved_segment_id))
        .isRefused('not_found', 'saved_segment_id');
  });

  it('has a name of 1 to 250 characters', () => {
    for (const name of ['', 'x'.repeat(251), '\0']) {
      given(savedSegment)
        .when((state) => createSavedSegment(state, { ...content, name }))
        .isRefused('invalid', 'name');
      given(savedSegment, created)
        .when((state) => changeSavedSegment(state, { ...content, name }))
        .isRefused('invalid', 'name');
    }
  });
});

describe('conditions of a saved segment', () => {
  const parse = (input: unknown) => {
    const problems: Problem[] = [];
    const conditions = parseSavedConditions(input, { timezone: 'UTC', path: 'conditions', problems });
    return { conditions, paths: problems.map(({ path }) => path) };
  };
  const many = (count: number) => ['or', ...Array.from({ length: count }, (_, id) => ['=', 'users.user_id', id])];

  it('are those of a filter segment', () => {
    const user_conditions = ['not', ['like', 'users.username', '%bot']];
    const event_filters = ['performed_event', { event_id: 101, negation: true, period_days: 3 }];
    const { conditions, paths } = parse({ user_conditions, event_filters });
    expect(paths).toEqual([]);
    expect(conditions).toMatchObject({
      users: { type: 'not', condition: { type: 'like', pattern: '%bot' } },
      events: { type: 'performed', eventId: 101, negation: true, periodDays: 3 },
    });
    expect(storedConditions(JSON.stringify({ user_conditions, event_filters }), 'UTC')).toEqual(conditions);
    expect(() => storedConditions('{}', 'UTC')).toThrow(TypeError);
  });

  it.each<[string, unknown, string[]]>([
    ['none', undefined, ['conditions']],
    ['no object', [], ['conditions']],
    ['an empty object', {}, ['conditions']],
    ['empty filters', { user_conditions: [], event_filters: null }, ['conditions']],
    ['an unknown key', { users: 1, user_conditions: many(1) }, ['conditions.users']],
    ['a wrong condition', { user_conditions: ['=', 'users.nothing', 1] }, ['conditions.user_conditions.1']],
    [
      'another saved segment',
      { user_conditions: ['=', 'user.saved_segments.1', true] },
      ['conditions.user_conditions.1'],
    ],
    ['more than 100 conditions', { user_conditions: many(101) }, ['conditions']],
  ])('%s is refused at its place', (_, input, wanted) => {
    expect(parse(input).paths).toEqual(wanted);
  });

  it('may be 100', () => {
    expect(parse({ user_conditions: many(99), event_filters: ['performed_event', {}] }).paths).toEqual([]);
  });
});
