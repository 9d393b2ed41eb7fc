import type { z } from 'zod';
import type { reportAnswer } from '../src/api/reports/schemas.ts';
import type { Period, Shape } from './report-events.ts';

export type Answer = z.infer<typeof reportAnswer>['data'];

/** A report, the same question in SQL, and a number of each answer. The numbers must be equal. */
export interface Question {
  readonly name: string;
  readonly report: object;
  /** Undefined: the question is a funnel. */
  readonly sql?: (dialect: Dialect) => string;
  /** The event ids of a funnel's steps, for databases with a function for funnels. */
  readonly funnel?: readonly number[];
  /** The number from the answer over HTTP. */
  readonly found: (answer: Answer) => number;
  /** The number from the rows of another database. */
  readonly expected: (rows: readonly (readonly number[])[]) => number;
}

export interface Dialect {
  readonly events: string;
  readonly users: string;
  readonly inPeriod: string;
  /** The day of an event. */
  readonly day: string;
  /** An aggregate function for the exact median. */
  readonly median: string;
  /** A function that makes a double of a decimal. */
  readonly double: string;
  /** The exact number of distinct users. */
  readonly uniq: string;
}

export const DAYS = 90;
const DAY_MS = 86_400_000;
const FIRST_EVENT = 101;

/** The last {@link DAYS} whole days, in UTC. */
export function lastDays(): Period {
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  return { from: to - DAYS * DAY_MS, to };
}

/** The request body that runs a report over a period. */
export function bodyOf(source_request: object, { from, to }: Period): object {
  const seconds = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  const params = { ':date_from': seconds(from), ':date_to': seconds(to - 1000) };
  return { report_config: { source_request, settings: { params } } };
}

const metric = (agr: string, event_id: number | null, more: object = {}) => {
  return { type: 'trend', event_id, event_name: 'event', agr, ...more };
};
const chart = (requests: readonly object[], more: object = {}) => ({
  type: 'trends',
  type_chart: 'line',
  requests,
  ...more,
});
/** The sum of cells with numbers; null counts as 0. */
const sumOfCells = (rows: Answer['rows'], keys: readonly string[]): number =>
  rows.reduce((sum, row) => keys.reduce((s, key) => s + Number(row[key]), sum), 0);
const sumOfLines = ({ columns, rows }: Answer): number =>
  sumOfCells(
    rows,
    columns.filter(({ metric }) => metric !== undefined).map(({ key }) => key),
  );
const sumOf = (column: number) => (rows: readonly (readonly number[])[]) =>
  rows.reduce((sum, row) => sum + row[column]!, 0);

function daily(
  name: string,
  request: object,
  what: (dialect: Dialect) => string,
  where = 'TRUE',
  more: object = {},
): Question {
  return {
    name,
    report: chart([request], more),
    sql: (d) =>
      `SELECT ${d.day} AS day, ${what(d)} FROM ${d.events} WHERE ${d.inPeriod} AND ${where} GROUP BY day ORDER BY day`,
    found: sumOfLines,
    expected: sumOf(1),
  };
}

const withUsers = ({ events, users }: Dialect) => `${events} AS e JOIN ${users} AS u ON e.user = u.user`;
const uniq = ({ uniq }: Dialect) => uniq;
const count = () => 'count(*)';

function funnel(steps: number): Question {
  const ids = Array.from({ length: steps }, (_, i) => FIRST_EVENT + i);
  return {
    name: `funnel of ${steps} steps, 14 days`,
    report: { type: 'funnels', type_chart: 'funnels', requests: ids.map((id) => metric('total', id)) },
    funnel: ids,
    found: ({ rows }) => sumOfCells(rows, ['users']),
    expected: (rows) => rows.reduce((sum, [level, users]) => sum + level! * users!, 0),
  };
}

const INTERVALS = 8;

/** The value of an event is above half of the greatest. */
function overHalf(least: number): Question[] {
  const filtered = { filters: ['>', 'events.value_amount', least] };
  const where = `value > ${least}`;
  return [
    daily('daily uniques, value over half', metric('total_uniq_user_id', null, filtered), uniq, where),
    daily('daily total, value over half', metric('total', null, filtered), count, where),
  ];
}

/** The 25 values of a field with the most events. @param from of the SQL: where `value` is read from */
function topValues(name: string, property: string, column: string, from: (dialect: Dialect) => string): Question {
  return {
    name,
    report: {
      type: 'trends',
      type_chart: 'table',
      requests: [metric('total', null)],
      separators: [{ property }],
    },
    sql: (d) =>
      `SELECT 1, count(*) AS n FROM ${from(d)} WHERE ${d.inPeriod} GROUP BY ${column} ORDER BY n DESC LIMIT 25`,
    found: ({ rows }) =>
      sumOfCells(
        rows.filter(({ other }) => !other),
        ['value'],
      ),
    expected: sumOf(1),
  };
}

/** The questions of a shape of data. */
export function questionsOf(shape: Shape): readonly Question[] {
  return shape === 'plain' ? [...QUESTIONS, ...overHalf(50_000)] : [...QUESTIONS, ...overHalf(50), ...WIDE_QUESTIONS];
}

const cents = (sum: number) => Math.round(sum * 100);

/** Questions about fields with many values. */
const WIDE_QUESTIONS: readonly Question[] = [
  {
    ...daily(
      'daily sum of values',
      metric('property_sum', null, { agr_field: 'events.value_amount' }),
      () => 'sum(value)',
    ),
    found: (answer) => cents(sumOfLines(answer)),
    expected: (rows) => cents(sumOf(1)(rows)),
  },
  {
    ...daily(
      'daily median of values, one event',
      metric('property_median', FIRST_EVENT, { agr_field: 'events.value_amount' }),
      ({ median, double }) => `${median}(${double}(value))`,
      `name = ${FIRST_EVENT}`,
    ),
    found: (answer) => cents(sumOfLines(answer)),
    expected: (rows) => cents(sumOf(1)(rows)),
  },
  topValues('total by first name, top 25', 'user.first_name', 'first_name', withUsers),
  topValues('total by text, top 25', 'events.value_str', 'text', ({ events }) => events),
  daily(
    'daily total, text after another',
    metric('total', null, { filters: ['>', 'events.value_str', '5'] }),
    count,
    `text > '5'`,
  ),
];

const QUESTIONS: readonly Question[] = [
  daily('daily total, all events', metric('total', null), count),
  daily('daily total, one event', metric('total', FIRST_EVENT), count, `name = ${FIRST_EVENT}`),
  daily('daily uniques, one event', metric('total_uniq_user_id', FIRST_EVENT), uniq, `name = ${FIRST_EVENT}`),
  daily('daily uniques, all events', metric('total_uniq_user_id', null), uniq),
  {
    name: 'daily median per user, one event',
    report: chart([metric('median_user_id', FIRST_EVENT)]),
    sql: (d) => `SELECT day, ${d.median}(n) FROM (
      SELECT ${d.day} AS day, user, count(*) AS n FROM ${d.events} WHERE ${d.inPeriod} AND name = ${FIRST_EVENT}
       GROUP BY day, user) AS users GROUP BY day ORDER BY day`,
    found: sumOfLines,
    expected: sumOf(1),
  },
  {
    name: 'table of 20 metrics, uniques',
    report: {
      type: 'trends',
      type_chart: 'table',
      requests: Array.from({ length: 20 }, (_, i) => metric('total_uniq', FIRST_EVENT + i)),
    },
    sql: (d) => `SELECT name, ${d.uniq} FROM ${d.events} WHERE ${d.inPeriod} AND name >= ${FIRST_EVENT} GROUP BY name`,
    found: ({ rows }) => sumOfCells(rows, ['value']),
    expected: sumOf(1),
  },
  {
    name: 'UTM table, count and uniques, top 25',
    report: {
      type: 'trends',
      type_chart: 'utm_table',
      breakdown_limit: 25,
      requests: [metric('total', null), metric('total_uniq_user_id', null)],
    },
    sql: (d) =>
      `SELECT utm, count(*) AS n, ${d.uniq} FROM ${d.events} WHERE ${d.inPeriod} GROUP BY utm ORDER BY n DESC, utm LIMIT 25`,
    found: ({ rows }) =>
      sumOfCells(
        rows.filter(({ other }) => !other),
        ['m0'],
      ),
    expected: sumOf(1),
  },
  {
    name: 'retention, start to return, 8 days',
    report: {
      type: 'retention',
      type_chart: 'retention',
      target_entity: { type: 'event', event_id: FIRST_EVENT, event_name: 'start' },
      returning_entity: { type: 'event', event_id: FIRST_EVENT + 1, event_name: 'return' },
      retention_type: 'retention_first_time',
      retention_total_intervals: INTERVALS,
    },
    sql: (d) => `SELECT s.day, r.day - s.day, count(*) FROM (
        SELECT user, min(${d.day}) AS day FROM ${d.events} WHERE ${d.inPeriod} AND name = ${FIRST_EVENT} GROUP BY user) AS s
      JOIN (SELECT DISTINCT user, ${d.day} AS day FROM ${d.events} WHERE name = ${FIRST_EVENT + 1}) AS r ON r.user = s.user
      WHERE r.day - s.day >= 0 AND r.day - s.day < ${INTERVALS} GROUP BY s.day, r.day - s.day`,
    found: ({ rows }) =>
      sumOfCells(
        rows,
        Array.from({ length: INTERVALS }, (_, cell) => `users_${cell}`),
      ),
    expected: sumOf(2),
  },
  funnel(3),
  funnel(5),
  daily(
    'daily uniques, of a property',
    metric('total_uniq_user_id', null, { filters: ['=', 'events.properties.category', 'c7'] }),
    uniq,
    `category = 'c7'`,
  ),
  {
    ...daily(
      'daily uniques, of premium users',
      metric('total_uniq_user_id', null, { filters: ['=', 'user.is_premium', true] }),
      uniq,
    ),
    sql: (d) => `SELECT ${d.day} AS day, ${d.uniq} FROM ${d.events} WHERE ${d.inPeriod}
      AND user IN (SELECT user FROM ${d.users} WHERE premium = 1) GROUP BY day ORDER BY day`,
  },
  {
    ...daily('daily total by category', metric('total', null), count, 'TRUE', {
      separators: [{ property: 'events.category' }],
    }),
    sql: (d) =>
      `SELECT ${d.day} AS day, category, count(*) FROM ${d.events} WHERE ${d.inPeriod} GROUP BY day, category`,
    expected: sumOf(2),
  },
  {
    ...daily('daily uniques by language', metric('total_uniq_user_id', null), uniq, 'TRUE', {
      separators: [{ property: 'user.language_code' }],
    }),
    sql: (d) => `SELECT ${d.day} AS day, language, ${d.uniq.replace('user', 'e.user').replace('"e.user"', 'e."user"')}
      FROM ${withUsers(d)} WHERE ${d.inPeriod} GROUP BY day, language`,
    expected: sumOf(2),
  },
];
