import fc from 'fast-check';
import type { Dates, Filter } from './oracle.ts';
import { SOURCES, sampleWorld, sessionId, TEXTS } from './world.ts';

/** Generators of report configs for all oracle tests: zones, periods and filters over one world. */

export const world = sampleWorld();

export const TIMEZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'];
/** Days on which no clock of these zones changes, so that each local time exists once. */
export const QUIET_DAYS = [
  '2025-03-07',
  '2025-03-11',
  '2025-03-27',
  '2025-04-01',
  '2025-10-24',
  '2025-10-29',
  '2025-11-04',
  '2025-11-08',
];
const OPERATORS = ['=', '!=', '<', '<=', '>', '>='];

const localTime = fc
  .tuple(fc.constantFrom(...QUIET_DAYS), fc.constantFrom('00:00:00', '00:00:01', '03:44:59', '12:30:00', '23:59:59'))
  .map(([day, time]) => `${day} ${time}`);
/** The seconds of events, and the seconds before them, in UTC: mistakes are at the ends of ranges. */
const nearEvents = fc
  .tuple(fc.constantFrom(...world.events), fc.constantFrom(0, 1000))
  .map(([event, before]) => new Date(event.date - before).toISOString().slice(0, 19).replace('T', ' '))
  .filter((text) => !/-(03-(09|30)|10-26|11-02) /.test(text));
const date = fc.oneof(localTime, nearEvents);
const number = fc.constantFrom(0, 0.1, 0.3, -0.3, 10, 99.99, 1, 101, 9007199254740991);
const text = fc.constantFrom(...TEXTS, 'EUR', 'shop', ...SOURCES);
const session = fc.constantFrom(...world.events.map((_, index) => sessionId(index)), 'x');
const custom = fc.constantFrom<unknown>('1', 1, 1.5, 'ä', 'b', 'true', 'say "a\\b"');

/** Fields, with the constants to compare them with. */
const FIELDS: readonly (readonly [string, fc.Arbitrary<unknown>])[] = [
  ...['date', 'date_received'].map((key) => [`events.${key}`, date] as const),
  ...['user_id', 'event_type_id', 'value_int', 'value_amount'].map((key) => [`events.${key}`, number] as const),
  ...['unit', 'value_str', 'category', 'webapp_name', 'utm_source', 'utm_medium'].map(
    (key) => [`events.${key}`, text] as const,
  ),
  ...['session_id', 'app_session_id'].map((key) => [`events.${key}`, session] as const),
  ...['command', "it's", 'value_str', 'category', 'no.such'].map((key) => [`events.properties.${key}`, text] as const),
  ...['plan', 'a.b', 'items', 'constructor'].map(
    (key) => [`events.properties.${key}`, fc.oneof(custom, number, text)] as const,
  ),
  ['user.username', text],
  ['user.user_status', fc.constantFrom('active', 'blocked')],
  ['user.addition_fields.utm_source', text],
  ['user.addition_fields.referral_code', text],
  ['users.date_create', date],
  ['user.date_last_active', date],
  ['user.custom_fields.level', custom],
  ["user.custom_fields.na'me", custom],
];

const BOOLEANS = ['user.is_premium', 'events.properties.plan'];

function flatOn(isMeant: (field: string) => boolean): fc.Arbitrary<Filter> {
  const fields = FIELDS.filter(([field]) => isMeant(field));
  const booleans = BOOLEANS.filter(isMeant);
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...fields).chain(([field, constant]) => conditionOn(field, constant)) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('=', '!='), fc.constantFrom(...booleans), fc.boolean()) },
  );
}

function conditionOn(field: string, constant: fc.Arbitrary<unknown>): fc.Arbitrary<Filter> {
  const pair = fc.tuple(constant, constant).filter(([a, b]) => typeof a === typeof b);
  return fc.oneof(
    fc.tuple(fc.constantFrom(...OPERATORS), fc.constant(field), constant),
    fc.tuple(fc.constant('in'), fc.constant(field), fc.array(constant, { minLength: 1, maxLength: 4 })),
    pair.map(([a, b]) => ['between', field, a, b]),
  );
}

/** Filters on some of the fields. */
export function filterOn(isMeant: (field: string) => boolean): fc.Arbitrary<Filter> {
  const { filter } = fc.letrec<{ filter: Filter; group: Filter }>((tie) => ({
    filter: fc.oneof({ depthSize: 'small' }, flatOn(isMeant), tie('group')),
    group: fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { minLength: 1, maxLength: 3 }))
      .map(([operator, parts]) => [operator, ...parts]),
  }));
  return filter;
}
export const filter = filterOn(() => true);
export const filters = fc.option(filter, { freq: 2 });

export const dates: fc.Arbitrary<Dates> = fc
  .tuple(date, date)
  .map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a }));

/** The current time: at and around the dates of events. */
export const now: fc.Arbitrary<number> = fc.oneof(
  fc.constant(Date.UTC(2026, 0, 1)),
  fc
    .tuple(fc.constantFrom(...world.events), fc.constantFrom(0, 1, 3_600_000))
    .map(([event, more]) => event.date + more),
);

/** Fields with many values, few values and none. Three fields together have more combinations than are shown. */
export const separators: fc.Arbitrary<readonly string[]> = fc.oneof(
  fc.constant([]),
  fc.subarray(
    [
      'events.category',
      'events.properties.value_str',
      'events.event_type_id',
      'events.properties.plan',
      'events.properties.a.b',
      'events.properties.command',
      'user.custom_fields.level',
      'user.is_premium',
      'user.date_create',
      'user.date_last_active',
    ],
    { minLength: 1, maxLength: 3 },
  ),
  fc.constant(['events.value_str', 'events.category', 'events.webapp_name']),
);
