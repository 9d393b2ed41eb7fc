import Big from 'big.js';
import { LosslessNumber } from 'lossless-json';
import { brokenDown, grouped, isSelected } from './oracle-parts.ts';
import { sessionId, type World, type WorldEvent } from './world.ts';

/**
 * Computes reports by brute force from decisions.md. It reads the config itself and uses none of the code under test: days
 * and hours come from the local clock of each quarter of an hour, and dates are compared as local text.
 */

const Exact = Big();
Exact.DP = 60;
Exact.RM = Big.roundHalfUp;

export type Filter = readonly unknown[];
export interface Asked {
  readonly type_chart: string;
  readonly granularity: 'hour' | 'day' | 'week' | 'month';
  readonly filters: Filter | null;
  /** For utm_* charts the UTM fields. */
  readonly separators: readonly string[];
  readonly breakdown_limit: number | null;
  /** Limit of utm_* charts: buckets of utm_trends, combinations of utm_table. */
  readonly row_limit: number | null;
  readonly requests: readonly { event_id: number | null; agr: string; agr_field?: string; filters: Filter | null }[];
}
/** Local times as in settings.params. The clock neither skips nor repeats them. */
export interface Dates {
  readonly from: string;
  readonly to: string;
}

/** One metric of one combination: the measure of each bucket by its start, and of the whole period; as decimal text. */
export interface Expected {
  readonly metric: number;
  /** The cells of the breakdown. */
  readonly cells: Readonly<Record<string, unknown>>;
  readonly buckets: ReadonlyMap<string, string | null>;
  readonly total: string | null;
}

export function expected(world: World, timezone: string, asked: Asked, { from, to }: Dates): Expected[] {
  const inPeriod = world.events.filter(({ date }) => {
    const local = localText(date, timezone);
    return local >= from && local <= to;
  });
  const starts = bucketStarts(timezone, asked.granularity, { from, to });
  const matched = asked.requests.map(({ event_id, filters }) =>
    inPeriod.filter((event) => isSelected({ event_id, filters }, asked.filters, event, { world, timezone })),
  );
  const isUtm = asked.type_chart.startsWith('utm_');
  const names = isUtm ? UTM_NAMES : asked.separators;
  const limit = isUtm ? (asked.breakdown_limit ?? 25) : 25;
  const things = matched.flatMap((events, metric) => events.map((event) => ({ metric, event })));
  const parts = brokenDown(things, ({ event }) => event, { names, world, timezone, limit });
  return asked.requests.flatMap(({ agr, agr_field }, metric) =>
    parts.map((part) => {
      const events = part.things.filter((thing) => thing.metric === metric).map(({ event }) => event);
      const inside = grouped(events, ({ date }) => bucketKey(date, timezone, asked.granularity));
      const measure = (some: readonly WorldEvent[]) => measured(agr, agr_field, some);
      const buckets = new Map([...starts].map(([key, start]) => [start, measure(inside.get(key) ?? [])]));
      return { metric, cells: part.cells, buckets, total: measure(events) };
    }),
  );
}

const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'].map((key) => `events.utm_${key}`);

/** `YYYY-MM-DD HH:MM:SS` of the local clock; Sweden writes it so. */
export const localText = remembered((ms: number, timezone: string): string => formatter(timezone).format(ms));
const formatter = remembered(
  (timeZone: string) => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
);

/** The offset of the local clock from UTC, in minutes. */
function offset(ms: number, timezone: string): number {
  return (Date.parse(`${localText(ms, timezone).replace(' ', 'T')}Z`) - Math.floor(ms / 1000) * 1000) / 60_000;
}

export function iso(ms: number, timezone: string): string {
  const minutes = offset(ms, timezone);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const [hours, rest] = [Math.abs(minutes) / 60, Math.abs(minutes) % 60];
  return `${localText(ms, timezone).replace(' ', 'T')}${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
}

export const bucketKey = remembered((ms: number, timezone: string, granularity: Asked['granularity']): string => {
  const text = localText(ms, timezone);
  if (granularity === 'hour') return `${text.slice(0, 13)} ${offset(ms, timezone)}`;
  if (granularity === 'month') return text.slice(0, 7);
  const day = text.slice(0, 10);
  if (granularity === 'day') return day;
  const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return new Date(Date.parse(`${day}T00:00:00Z`) - sinceMonday * 86_400_000).toISOString().slice(0, 10);
});

const QUARTER = 15 * 60_000;
const [WORLD_FROM, WORLD_TO] = [Date.UTC(2025, 0, 25), Date.UTC(2026, 1, 1)];

/** All buckets with events of the world, by key: the first and last quarter of an hour. */
export const allBuckets = remembered((timezone: string, granularity: Asked['granularity']) => {
  const buckets = new Map<string, { readonly first: number; last: number }>();
  for (let ms = WORLD_FROM; ms < WORLD_TO; ms += QUARTER) {
    const key = bucketKey(ms, timezone, granularity);
    const bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, { first: ms, last: ms });
    else bucket.last = ms;
  }
  return buckets;
});

/** The buckets that overlap the period, by key, with the first instant of each as ISO 8601. */
export function bucketStarts(
  timezone: string,
  granularity: Asked['granularity'],
  { from, to }: Dates,
): Map<string, string> {
  const touched = [...allBuckets(timezone, granularity)].filter(
    ([, { first, last }]) => localText(last + QUARTER - 1, timezone) >= from && localText(first, timezone) <= to,
  );
  return new Map(touched.map(([key, { first }]) => [key, iso(first, timezone)]));
}

function remembered<Args extends unknown[], T>(compute: (...args: Args) => T): (...args: Args) => T {
  const results = new Map<string, T>();
  return (...args) => {
    const key = args.join();
    if (!results.has(key)) results.set(key, compute(...args));
    return results.get(key)!;
  };
}

function measured(agr: string, field: string | undefined, events: readonly WorldEvent[]): string | null {
  const distinct = (of: (event: WorldEvent) => unknown) =>
    String(new Set(events.map(of).filter((value) => value !== null)).size);
  const name = agr.replace(/_user_id$/, '').replace('property_', '');
  if (agr === 'total') return String(events.length);
  if (agr === 'total_uniq' || agr === 'total_uniq_user_id') return distinct(({ user_id }) => user_id);
  if (agr === 'total_uniq_session_id') return distinct(({ session }) => session);
  if (agr === 'total_uniq_app_session_id') return distinct(({ app_session }) => app_session);
  if (agr.startsWith('property_')) {
    const values = events.map((event) => fieldOf(field!, event, NO_USERS, 'UTC'));
    return statistic(
      name,
      values.filter((value) => value instanceof Big),
    );
  }
  const perUser = new Map<number, number>();
  for (const { user_id } of events) perUser.set(user_id, (perUser.get(user_id) ?? 0) + 1);
  return statistic(
    name,
    [...perUser.values()].map((count) => new Exact(count)),
  );
}

const NO_USERS: World = { users: new Map(), events: [] };

function statistic(name: string, values: Big[]): string | null {
  const sorted = values.sort((a, b) => a.cmp(b));
  const sum = values.reduce((a, b) => a.plus(b), new Exact(0));
  if (name === 'sum') return sum.toFixed();
  if (values.length === 0) return null;
  const [lower, upper] = [sorted[Math.ceil(values.length / 2) - 1]!, sorted[Math.floor(values.length / 2)]!];
  const result = {
    min: sorted[0]!,
    max: sorted.at(-1)!,
    avg: sum.div(values.length).round(12),
    median: lower.plus(upper).div(2),
  };
  return result[name as keyof typeof result].toFixed();
}

/** Two-valued: a missing value fails each positive comparison, and != is the complement of =. */
export function holds(filter: Filter | null, event: WorldEvent, world: World, timezone: string): boolean {
  if (filter === null || filter.length === 0) return true;
  const [operator, ...rest] = filter;
  if (operator === 'and') return rest.every((part) => holds(part as Filter, event, world, timezone));
  if (operator === 'or') return rest.some((part) => holds(part as Filter, event, world, timezone));
  const [name, first, second] = rest;
  const value = fieldOf(name as string, event, world, timezone);
  const order = (constant: unknown) => compare(value, constant);
  switch (operator) {
    case '=':
      return order(first) === 0;
    case '!=':
      return order(first) !== 0;
    case 'in':
      return (first as unknown[]).some((constant) => order(constant) === 0);
    case 'between':
      return order(first) >= 0 && order(second) <= 0;
    case '<':
      return order(first) < 0;
    case '<=':
      return order(first) <= 0;
    case '>':
      return order(first) > 0;
    default:
      return order(first) >= 0;
  }
}

/** NaN, which fails each comparison, if a value is missing or the types differ. */
function compare(value: unknown, constant: unknown): number {
  if (value instanceof Big && typeof constant === 'number') return value.cmp(constant);
  if (typeof value === 'boolean' && typeof constant === 'boolean') return Number(value) - Number(constant);
  if (typeof value !== 'string' || typeof constant !== 'string') return Number.NaN;
  return Buffer.compare(Buffer.from(value, 'utf8'), Buffer.from(constant, 'utf8'));
}

export function fieldOf(name: string, event: WorldEvent, world: World, timezone: string): unknown {
  const [root, key, ...more] = name.split('.');
  const user = world.users.get(event.user_id);
  const exact = (value: string | number | null) => (value === null ? null : new Exact(value));
  if (root === 'events') {
    if (key === 'properties') {
      const property = more.join('.');
      if (Object.hasOwn(event, property)) return event[property as 'category'];
      const value = Object.hasOwn(event.properties ?? {}, property) ? event.properties![property] : null;
      return value instanceof LosslessNumber ? new Exact(value.value) : value;
    }
    if (key === 'user_id' || key === 'event_type_id' || key === 'value_int' || key === 'value_amount')
      return exact(event[key]);
    if (key === 'date' || key === 'date_received') return localText(event[key], timezone);
    if (key === 'session_id') return sessionId(event.session);
    if (key === 'app_session_id') return event.app_session === null ? null : sessionId(event.app_session);
    return event[key as 'category'];
  }
  if (user === undefined) return null;
  if (key === 'custom_fields') {
    const custom = user.custom_fields[more.join('.')];
    return typeof custom === 'number' ? exact(custom) : custom;
  }
  if (key === 'user_status') return 'active';
  if (key === 'addition_fields') return user.addition_fields[more.join('.')];
  const value = user[key as 'username' | 'is_premium' | 'date_create' | 'date_last_active'];
  return typeof value === 'number' ? localText(value, timezone) : value;
}
