import { LosslessNumber, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { type Segmentations, segmentsOf, taskIdsOf } from '../../../src/domain/broadcast/audience.ts';
import { parseSegmentations, storedSegmentations } from '../../../src/domain/broadcast/audience-segmentations.ts';
import type { Problem } from '../../../src/domain/problem.ts';

function parse(input: unknown, timezone = 'UTC'): { segmentations: Segmentations; problems: Problem[] } {
  const problems: Problem[] = [];
  const options = { timezone, path: 'segmentations', problems, segmentIds: new Set([11]) };
  return { segmentations: parseSegmentations(input, options), problems };
}

const include = (...segments: unknown[]) => ({ include: segments });
const all = { type: 'all', config: {} };
const filter = (config: object) => ({ type: 'filter', config });
const users = (user_conditions: unknown) => include(filter({ user_conditions }));
const events = (event_filters: unknown) => include(filter({ event_filters }));
const done = (leaf: unknown) => ['performed_event', leaf];
const premium = ['=', 'users.is_premium', true];

describe('what is accepted', () => {
  it.each([[undefined], [null], [{}], [{ include: null, exclude: [] }]])('%j is an empty audience', (input) => {
    expect(parse(input)).toEqual({ segmentations: { include: [], exclude: [] }, problems: [] });
  });

  it('segments of every type, in both lists', () => {
    const segments = [
      all,
      { type: 'all' },
      { type: 'list', config: { chat_ids: [5, -7, new LosslessNumber('9007199254740991')] } },
      { type: 'channel', config: { chat_ids: [] } },
      { type: 'custom', config: { segment_id: 11 } },
      { type: 'from_task', config: { task_id: 4 } },
      filter({ user_conditions: premium }),
    ];
    const { segmentations, problems } = parse({ include: segments, exclude: segments });
    expect(problems).toEqual([]);
    expect(segmentations.exclude).toEqual(segmentations.include);
    expect(segmentations.include).toMatchObject([
      { type: 'all' },
      { type: 'all' },
      { type: 'list', chatIds: [5, -7, 9007199254740991] },
      { type: 'channel', chatIds: [] },
      { type: 'custom', segmentId: 11 },
      { type: 'from_task', taskId: 4 },
      { type: 'filter', users: { type: 'one_of' }, events: null },
    ]);
    expect(taskIdsOf(segmentations)).toEqual([4]);
    expect(segmentsOf(segmentations)[8]).toMatchObject({ path: 'exclude.1', segment: { type: 'all' } });
  });

  it.each([[undefined], [null], [[]]])('a filter may say nothing: %j', (nothing) => {
    const { segmentations, problems } = parse(include(filter({ user_conditions: nothing, event_filters: nothing })));
    expect({ problems, ...segmentations.include[0] }).toEqual({
      problems: [],
      type: 'filter',
      users: null,
      events: null,
    });
  });

  it('what is left out of performed_event has its default', () => {
    const { segmentations } = parse(
      events(['or', done({}), ['and', done({ event_id: 101, negation: true, period_days: 7 })]]),
    );
    const leaf = { type: 'performed', eventId: null, negation: false, periodDays: 0, condition: null };
    const own = { ...leaf, eventId: 101, negation: true, periodDays: 7 };
    expect(segmentations.include[0]).toMatchObject({
      events: { type: 'or', filters: [leaf, { type: 'and', filters: [own] }] },
    });
  });

  it('all operators of the document', () => {
    const conditions = [
      ['not', premium],
      ['like', 'users.username', 'a%'],
      ['not like', 'users.custom_fields.city', '%b'],
      ['not in', 'users.user_id', [1, 2]],
      ['between', 'users.date_create', '2025-01-01 00:00:00', '2025-02-01 00:00:00'],
      ['not between', 'users.user_id', 1, 2],
      ['is', 'users.gender', null],
      ['not', ['is', 'users.custom_fields.city', null]],
      ['>=', 'users.addition_fields.referrer_id', 5],
      ['!=', 'users.addition_fields.referral_code', 'x'],
    ];
    const { segmentations, problems } = parse(users(['and', ['or', ...conditions]]));
    expect(problems).toEqual([]);
    const like = (name: string, pattern: string) => ({ type: 'like', field: { name }, pattern });
    expect(segmentations.include[0]).toMatchObject({
      users: {
        conditions: [
          {
            conditions: [
              { type: 'not', condition: { type: 'one_of' } },
              like('user.username', 'a%'),
              { type: 'not', condition: like('user.custom_fields.city', '%b') },
              { type: 'not', condition: { type: 'one_of' } },
              { type: 'range' },
              { type: 'not', condition: { type: 'range' } },
              { type: 'missing', field: { name: 'user.gender' } },
              { type: 'not', condition: { type: 'missing' } },
              { type: 'range' },
              { type: 'not' },
            ],
          },
        ],
      },
    });
  });

  it('an event is compared by its own fields, dates by the clock of the bot', () => {
    const condition = ['>', 'events.date', '2025-06-01 02:00:00'];
    const { segmentations, problems } = parse(events(done({ conditions: condition })), 'Europe/Berlin');
    expect(problems).toEqual([]);
    const from = { value: { type: 'date', value: Date.UTC(2025, 5, 1, 0, 0, 1) }, inclusive: true };
    expect(segmentations.include[0]).toMatchObject({ events: { condition: { type: 'range', from } } });
  });

  it('what was stored reads as it was checked', () => {
    const input = include(
      filter({ user_conditions: ['>', 'users.custom_fields.n', new LosslessNumber('0.10000000000000000001')] }),
    );
    expect(storedSegmentations(stringify(input)!, 'UTC')).toEqual(parse(input).segmentations);
    expect(
      storedSegmentations('{"include":[{"type":"custom","config":{"segment_id":99}}]}', 'UTC').include,
    ).toHaveLength(1);
    expect(() => storedSegmentations('{"include":[{"type":"none"}]}', 'UTC')).toThrow('include.0.type');
  });
});

const TYPES = ['all', 'list', 'custom', 'channel', 'from_task', 'filter', 'saved'];

describe('what is refused, and where', () => {
  it.each<[string, unknown, string, readonly string[] | undefined]>([
    ['no object', [], '', undefined],
    ['another key', { includes: [all] }, '.includes', ['include', 'exclude']],
    ['no array', { exclude: all }, '.exclude', undefined],
    ['no segment', include('all'), '.include.0', undefined],
    ['a segment without a type', include({ config: {} }), '.include.0.type', TYPES],
    ['an unknown type', include(all, { type: 'All' }), '.include.1.type', TYPES],
    ['a key besides type and config', include({ ...all, chat_ids: [1] }), '.include.0.chat_ids', ['type', 'config']],
    ['a config that is none', include({ type: 'all', config: 1 }), '.include.0.config', undefined],
    ['a config for all', include({ type: 'all', config: { x: 1 } }), '.include.0.config.x', []],
    ['no chats', include({ type: 'list', config: {} }), '.include.0.config.chat_ids', undefined],
    [
      'chats that are none',
      include({ type: 'list', config: { chat_ids: 5 } }),
      '.include.0.config.chat_ids',
      undefined,
    ],
    ['chat 0', include({ type: 'channel', config: { chat_ids: [-1, 0] } }), '.include.0.config.chat_ids.1', undefined],
    [
      'a chat as text',
      include({ type: 'list', config: { chat_ids: ['5'] } }),
      '.include.0.config.chat_ids.0',
      undefined,
    ],
    [
      'a chat by halves',
      include({ type: 'list', config: { chat_ids: [1.5] } }),
      '.include.0.config.chat_ids.0',
      undefined,
    ],
    ['no list', include({ type: 'custom', config: {} }), '.include.0.config.segment_id', undefined],
    [
      "another broadcast's list",
      include({ type: 'custom', config: { segment_id: 12 } }),
      '.include.0.config.segment_id',
      undefined,
    ],
    ['no broadcast', include({ type: 'from_task', config: { task_id: null } }), '.include.0.config.task_id', undefined],
    [
      'a broadcast by name',
      include({ type: 'from_task', config: { task_id: 'x' } }),
      '.include.0.config.task_id',
      undefined,
    ],
    [
      'a misspelt filter',
      include(filter({ user_condition: premium })),
      '.include.0.config.user_condition',
      ['user_conditions', 'event_filters'],
    ],
    [
      'text that cannot be stored',
      users(['=', 'users.username', '\0']),
      '.include.0.config.user_conditions.2',
      undefined,
    ],
    ['a field of events', users(['=', 'events.category', 'a']), '.include.0.config.user_conditions.1', undefined],
    [
      'an unknown field',
      users(['=', 'users.addition_fields.x', 'a']),
      '.include.0.config.user_conditions.1',
      undefined,
    ],
    ['null with =', users(['=', 'users.gender', null]), '.include.0.config.user_conditions.2', undefined],
    ['is with a value', users(['is', 'users.gender', 'f']), '.include.0.config.user_conditions.2', ['null']],
    ['is without null', users(['is', 'users.gender']), '.include.0.config.user_conditions.2', undefined],
    [
      'like of a number',
      users(['like', 'users.user_id', '1%']),
      '.include.0.config.user_conditions.0',
      ['=', '!=', '>', '<', '>=', '<=', 'in', 'not in', 'between', 'not between', 'is'],
    ],
    [
      'order of a truth',
      users(['>', 'users.is_bot', true]),
      '.include.0.config.user_conditions.0',
      ['=', '!=', 'in', 'not in', 'is'],
    ],
    [
      'a pattern that is no text',
      users(['like', 'users.custom_fields.a', 1]),
      '.include.0.config.user_conditions.2',
      undefined,
    ],
    ['not of nothing', users(['not']), '.include.0.config.user_conditions', undefined],
    ['not of two', users(['not', premium, premium]), '.include.0.config.user_conditions.2', undefined],
    ['a wrapped condition', users([premium]), '.include.0.config.user_conditions', undefined],
    [
      'too many arguments',
      users(['not in', 'users.user_id', [1], 2]),
      '.include.0.config.user_conditions.3',
      undefined,
    ],
    ['no filter of events', events({}), '.include.0.config.event_filters', undefined],
    [
      'an unknown filter of events',
      events(['performed', {}]),
      '.include.0.config.event_filters.0',
      ['and', 'or', 'performed_event'],
    ],
    ['a group of nothing', events(['and']), '.include.0.config.event_filters', undefined],
    [
      'not of an event',
      events(['not', done({})]),
      '.include.0.config.event_filters.0',
      ['and', 'or', 'performed_event'],
    ],
    ['a leaf without its object', events(['performed_event']), '.include.0.config.event_filters.1', undefined],
    ['a leaf with two', events(['performed_event', {}, {}]), '.include.0.config.event_filters.2', undefined],
    ['a leaf that is none', events(done(5)), '.include.0.config.event_filters.1', undefined],
    [
      'a misspelt leaf',
      events(['or', done({ days: 5 })]),
      '.include.0.config.event_filters.1.1.days',
      ['event_id', 'negation', 'period_days', 'conditions'],
    ],
    ['event 0', events(done({ event_id: 0 })), '.include.0.config.event_filters.1.event_id', undefined],
    ['negative days', events(done({ period_days: -1 })), '.include.0.config.event_filters.1.period_days', undefined],
    ['half a day', events(done({ period_days: 0.5 })), '.include.0.config.event_filters.1.period_days', undefined],
    ['negation as a number', events(done({ negation: 1 })), '.include.0.config.event_filters.1.negation', undefined],
    [
      'a field of users',
      events(done({ conditions: premium })),
      '.include.0.config.event_filters.1.conditions.1',
      undefined,
    ],
  ])('%s', (_, input, path, allowed) => {
    const { problems } = parse(input);
    expect(problems.map((problem) => problem.path)).toEqual([`segmentations${path}`]);
    if (allowed !== undefined) expect(problems[0]!.allowed).toEqual(allowed);
  });

  it('an unknown field, with all that there are, by the names of the document', () => {
    const [problem] = parse(users(['=', 'users.nonsense', 1])).problems;
    expect(problem!.allowed).toEqual(
      expect.arrayContaining(['users.user_id', 'users.custom_fields.*', 'users.addition_fields.referral_code']),
    );
    expect(problem!.allowed!.every((name) => name.startsWith('users.'))).toBe(true);
    const [ofEvents] = parse(events(done({ conditions: ['=', 'category', 'a'] }))).problems;
    expect(ofEvents!.allowed!.every((name) => name.startsWith('events.'))).toBe(true);
  });

  it('every wrong place at once', () => {
    const { problems } = parse({ include: [{ type: 'x' }, filter({ user_conditions: ['~', 1] })], exclude: [{}] });
    expect(problems.map(({ path }) => path)).toEqual([
      'segmentations.include.0.type',
      'segmentations.include.1.config.user_conditions.0',
      'segmentations.exclude.0.type',
    ]);
  });

  it('more than 1,000 conditions, of all filters together, events counted too', () => {
    const many = (count: number, condition: unknown = premium) => ['and', ...Array(count).fill(condition)];
    const leaf = done({ conditions: many(398, ['is', 'events.unit', null]) });
    const input = {
      include: [filter({ user_conditions: many(300), event_filters: leaf })],
      exclude: [filter({ user_conditions: many(301) })],
    };
    expect(parse(input).problems).toEqual([]);
    input.exclude.push(filter({ user_conditions: premium }));
    expect(parse(input).problems).toMatchObject([
      { path: 'segmentations.exclude.1.config.user_conditions', message: 'more than 1000 conditions' },
    ]);
  });

  it('filters of events that nest deeper than 20', () => {
    const nested = (depth: number): unknown => (depth === 1 ? done({}) : ['and', nested(depth - 1)]);
    expect(parse(events(nested(20))).problems).toEqual([]);
    expect(parse(events(nested(21))).problems).toMatchObject([
      { path: `segmentations.include.0.config.event_filters${'.1'.repeat(20)}` },
    ]);
  });

  it('more than 100 segments', () => {
    const segments = (count: number) => Array(count).fill(all);
    expect(parse({ include: segments(50), exclude: segments(50) }).problems).toEqual([]);
    expect(parse({ include: segments(50), exclude: segments(51) }).problems).toMatchObject([{ path: 'segmentations' }]);
  });
});
