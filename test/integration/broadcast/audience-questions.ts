import fc from 'fast-check';
import type { Asked } from './audience-oracle.ts';
import { AS_OF, SEGMENTS, SESSIONS, SOURCES, TASKS, TEXTS } from './audience-world.ts';

/** Audiences of every kind over one world. */

export const TIMEZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'];

const DAY = 86_400_000;
const number = fc.constantFrom<unknown>(0, 0.1, -0.3, 10, 99.99, 1, 2, 3, 30, 101, 9007199254740991);
const text = fc.constantFrom<unknown>(...TEXTS, ...SOURCES, 'EUR', 'f', 'de', 'active', 'blocked', 'abc', 'UTC');
const session = fc.constantFrom<unknown>(...SESSIONS, 'no session');
const truth = fc.constantFrom<unknown>(true, false);
/** Seconds of the present and of days before, by the clock of UTC, which others show at other hours. */
const date = fc
  .tuple(fc.integer({ min: -1, max: 9 }), fc.constantFrom(-3600, -1, 0, 1, 7200, 20_700))
  .map(([days, seconds]) => new Date(AS_OF - days * DAY + seconds * 1000).toISOString().slice(0, 19).replace('T', ' '));
const custom = fc.constantFrom<unknown>('1', 1, 1.5, 'ä', 'b');
const pattern = fc
  .array(fc.constantFrom('%', 'a', 'b', '_', '\\', 'A', 'ä', '\u{1f600}', 'B', '\n'), { maxLength: 4 })
  .map((parts): unknown => parts.join(''));

type Fields = readonly (readonly [string, fc.Arbitrary<unknown>])[];

const USER_FIELDS: Fields = [
  ...['user_id', 'addition_fields.referrer_id'].map((key) => [`users.${key}`, number] as const),
  ...['full_name', 'username', 'first_name', 'last_name', 'gender', 'user_status', 'language_code', 'timezone'].map(
    (key) => [`users.${key}`, text] as const,
  ),
  ...['start_param', 'utm_source', 'referral_code'].map((key) => [`users.addition_fields.${key}`, text] as const),
  ...['date_create', 'date_last_active'].map((key) => [`users.${key}`, date] as const),
  ...['is_bot', 'is_premium'].map((key) => [`users.${key}`, truth] as const),
  ...['level', "na'me", 'no user has it'].map((key) => [`users.custom_fields.${key}`, custom] as const),
];
const EVENT_FIELDS: Fields = [
  ['events.date', date],
  ...['user_id', 'event_type_id', 'value_int', 'value_amount'].map((key) => [`events.${key}`, number] as const),
  ...['unit', 'value_str', 'category', 'utm_source', 'utm_medium'].map((key) => [`events.${key}`, text] as const),
  ...['session_id', 'app_session_id'].map((key) => [`events.${key}`, session] as const),
  ...['command', "it's", 'value_str', 'no.such'].map((key) => [`events.properties.${key}`, text] as const),
  ['events.properties.plan', custom],
];

type Filter = readonly unknown[];

function conditionOn(field: string, constant: fc.Arbitrary<unknown>): fc.Arbitrary<Filter> {
  const named = fc.constant(field);
  const not = fc.constantFrom('', 'not ');
  const isTruth = constant === truth;
  const pair = fc.tuple(constant, constant).filter(([a, b]) => typeof a === typeof b);
  return fc.oneof(
    fc.tuple(fc.constantFrom(...(isTruth ? ['=', '!='] : ['=', '!=', '<', '<=', '>', '>='])), named, constant),
    fc
      .tuple(not, fc.array(constant, { minLength: 1, maxLength: 4 }))
      .map(([word, values]) => [`${word}in`, field, values]),
    ...(isTruth ? [] : [fc.tuple(not, pair).map(([word, [a, b]]) => [`${word}between`, field, a, b])]),
    ...(constant === text || constant === custom
      ? [fc.tuple(not, pattern).map(([word, value]) => [`${word}like`, field, value])]
      : []),
    fc.constant(['is', field, null]),
  );
}

function conditions(fields: Fields): fc.Arbitrary<Filter> {
  const flat = fc.constantFrom(...fields).chain(([field, constant]) => conditionOn(field, constant));
  return fc.letrec<{ any: Filter; group: Filter }>((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, flat, tie('group')),
    group: fc.oneof(
      fc
        .tuple(fc.constantFrom('and', 'or'), fc.array(tie('any'), { minLength: 1, maxLength: 3 }))
        .map(([operator, parts]) => [operator, ...parts]),
      tie('any').map((part) => ['not', part]),
    ),
  })).any;
}

export const userConditions = conditions(USER_FIELDS);

const leaf = fc
  .record(
    {
      event_id: fc.option(fc.constantFrom(1, 101, 102, 103, 999)),
      negation: fc.boolean(),
      period_days: fc.constantFrom(0, 1, 2, 7, 100_000_000_000),
      conditions: fc.option(conditions(EVENT_FIELDS), { freq: 3 }),
    },
    { requiredKeys: [] },
  )
  .map((object): Filter => ['performed_event', object]);
const eventFilters = fc.letrec<{ any: Filter; group: Filter }>((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, leaf, tie('group')),
  group: fc
    .tuple(fc.constantFrom('and', 'or'), fc.array(tie('any'), { minLength: 1, maxLength: 3 }))
    .map(([operator, parts]) => [operator, ...parts]),
})).any;

const chats = fc.array(fc.constantFrom(-1001234567890, -5, 1, 2, 3, 4, 30, 1000, Number.MAX_SAFE_INTEGER), {
  maxLength: 5,
});
const filter = fc
  .oneof(
    fc.record({ user_conditions: userConditions }),
    fc.record({ event_filters: eventFilters }),
    fc.record({ user_conditions: userConditions, event_filters: eventFilters }),
    fc.record({ user_conditions: userConditions, event_filters: fc.constantFrom(null, []) }),
  )
  .map((config) => ({ type: 'filter', config }));
const segment = fc.oneof(
  { weight: 6, arbitrary: filter },
  { weight: 1, arbitrary: fc.constant({ type: 'all', config: {} }) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('list', 'channel'), chats).map(([type, chat_ids]) => ({
      type,
      config: { chat_ids },
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...SEGMENTS).map((segment_id) => ({ type: 'custom', config: { segment_id } })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...Object.values(TASKS)).map((task_id) => ({ type: 'from_task', config: { task_id } })),
  },
);

export const asked: fc.Arbitrary<Asked> = fc.record({
  include: fc.array(segment, { minLength: 1, maxLength: 4 }),
  exclude: fc.array(segment, { maxLength: 3 }),
});
