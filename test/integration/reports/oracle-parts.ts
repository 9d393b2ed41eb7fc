import Big from 'big.js';
import { stringify } from 'lossless-json';
import { type Dates, type Filter, fieldOf, holds, iso, localText } from './oracle.ts';
import { ordOf, type World, type WorldEvent } from './world.ts';

/** Parts of all oracles: timelines, selections and breakdowns, by brute force. */

export interface Selected {
  readonly event_id: number | null;
  readonly filters: Filter | null;
}

export function isSelected(
  { event_id, filters }: Selected,
  shared: Filter | null,
  event: WorldEvent,
  { world, timezone }: { world: World; timezone: string },
): boolean {
  const isType = event_id === null || event.event_type_id === event_id;
  return isType && holds(filters, event, world, timezone) && holds(shared, event, world, timezone);
}

export function isIn({ from, to }: Dates, date: number, timezone: string): boolean {
  const local = localText(date, timezone);
  return local >= from && local <= to;
}

/** The events of each user, by date, then in the order of the log. */
export function timelines({ events }: World): WorldEvent[][] {
  const ordered = events
    .map((event, index) => ({ event, ord: ordOf(index) }))
    .sort((a, b) => a.event.date - b.event.date || a.ord - b.ord)
    .map(({ event }) => event);
  return [...grouped(ordered, ({ user_id }) => user_id).values()];
}

const MAX_SHOWN = 25;

/**
 * Groups things by the combination of their events' values in some fields: the largest first, then all others.
 *
 * @returns for each group the cells of the breakdown, and the things
 */
export function brokenDown<T>(
  things: readonly T[],
  eventOf: (thing: T) => WorldEvent,
  {
    names,
    world,
    timezone,
    limit = MAX_SHOWN,
  }: { names: readonly string[]; world: World; timezone: string; limit?: number },
): { cells: Record<string, unknown>; things: readonly T[] }[] {
  if (names.length === 0) return [{ cells: {}, things }];
  const valuesOf = (thing: T) => names.map((name) => shownOf(name, eventOf(thing), { world, timezone }) ?? null);
  const groups = [...grouped(things, (thing) => JSON.stringify(valuesOf(thing).map(tagged))).values()]
    .map((some) => ({ values: valuesOf(some[0]!), things: some }))
    .sort((a, b) => b.things.length - a.things.length || byText(a.values, b.values));
  const cells = (values: readonly unknown[]) =>
    Object.fromEntries(
      names.map((name, index) => [name, values[index] instanceof Big ? Number(values[index]) : values[index]]),
    );
  const shown = groups
    .slice(0, limit)
    .map((group) => ({ cells: { ...cells(group.values), other: false }, things: group.things }));
  const rest = groups.slice(limit).flatMap((group) => group.things);
  if (groups.length <= limit) return shown;
  return [...shown, { cells: { ...cells(names.map(() => null)), other: true }, things: rest }];
}

/** The value of a field as a breakdown shows it: a date to the second, with its offset. */
function shownOf(name: string, event: WorldEvent, { world, timezone }: { world: World; timezone: string }): unknown {
  if (name !== 'user.date_create' && name !== 'user.date_last_active') return fieldOf(name, event, world, timezone);
  const user = world.users.get(event.user_id);
  const date = name === 'user.date_create' ? user?.date_create : user?.date_last_active;
  return date == null ? null : iso(date, timezone);
}

const tagged = (value: unknown) => (value instanceof Big ? { number: value.toFixed() } : value);

function byText(a: readonly unknown[], b: readonly unknown[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    const order =
      left === null || right === null
        ? Number(left !== null) - Number(right !== null)
        : isDate(left) && isDate(right)
          ? Date.parse(left) - Date.parse(right)
          : Buffer.compare(Buffer.from(String(left), 'utf8'), Buffer.from(String(right), 'utf8'));
    if (order !== 0) return order;
  }
  // Values with equal text, by their types: boolean, number, text.
  for (const [index, left] of a.entries()) {
    const order = ORDER.indexOf(typeof left) - ORDER.indexOf(typeof b[index]);
    if (order !== 0) return order;
  }
  return 0;
}

/** An exact number is an object. */
const ORDER = ['boolean', 'object', 'string'];

const isDate = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);

export function grouped<T, K>(things: readonly T[], keyOf: (thing: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const thing of things) groups.set(keyOf(thing), [...(groups.get(keyOf(thing)) ?? []), thing]);
  return groups;
}

/** As answers show it. */
export function asJson(value: unknown): unknown {
  return JSON.parse(stringify(value)!);
}
