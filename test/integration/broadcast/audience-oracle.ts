import Big from 'big.js';
import { BOT_ID, type World, type WorldEvent, type WorldUser } from './audience-world.ts';

/**
 * Audiences worked out by brute force from interface.md and decisions.md, from the segmentations as they are sent and with
 * none of the code under test: dates compare as local text, patterns are regular expressions.
 */

type Filter = readonly unknown[];
interface Segment {
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
}
export interface Asked {
  readonly include: readonly Segment[];
  readonly exclude: readonly Segment[];
}

export function expectedChats(world: World, { include, exclude }: Asked, timezone: string, asOf: number): number[] {
  const context = { world, timezone, asOf };
  const all = include.filter(({ type }) => type === 'all');
  const of = (segments: readonly Segment[]) => new Set(segments.flatMap((segment) => chatsOf(segment, context)));
  const without = of(exclude);
  return [...of(all.length > 0 ? all : include)]
    .filter((chat) => !without.has(chat) && !world.erased.includes(chat))
    .sort((a, b) => a - b);
}

interface Context {
  readonly world: World;
  readonly timezone: string;
  readonly asOf: number;
}

function chatsOf({ type, config }: Segment, context: Context): readonly number[] {
  const users = context.world.users.filter(({ bot_id }) => bot_id === BOT_ID);
  const ids = users.map(({ user_id }) => user_id);
  switch (type) {
    case 'all':
      return ids;
    case 'list':
    case 'channel':
      return config['chat_ids'] as number[];
    case 'custom':
      return context.world.segments.get(config['segment_id'] as number)!;
    case 'from_task': {
      const { bot_id, chats } = context.world.tasks.get(config['task_id'] as number)!;
      return bot_id === BOT_ID ? chats : chats.filter((chat) => ids.includes(chat));
    }
    default: {
      const { user_conditions, event_filters } = config as Record<string, Filter | null | undefined>;
      return users
        .filter((user) => {
          const events = context.world.events.filter(
            (event) => event.bot_id === BOT_ID && event.user_id === user.user_id,
          );
          const isMeant = holds(user_conditions ?? [], (name) => userField(user, name, context.timezone));
          return isMeant && hasDone(event_filters ?? [], events, context);
        })
        .map(({ user_id }) => user_id);
    }
  }
}

function hasDone(filter: Filter, events: readonly WorldEvent[], context: Context): boolean {
  const [name, ...rest] = filter;
  if (name === undefined) return true;
  if (name === 'and') return rest.every((part) => hasDone(part as Filter, events, context));
  if (name === 'or') return rest.some((part) => hasDone(part as Filter, events, context));
  const { event_id, negation, period_days, conditions } = rest[0] as Record<string, unknown>;
  const days = (period_days as number | undefined) ?? 0;
  const done = events.some((event) => {
    if (days > 0 && event.date < context.asOf - days * 86_400_000) return false;
    return isSuch(event, { event_id, conditions }, context.timezone);
  });
  return negation === true ? !done : done;
}

/** Whether an event is of the type and fulfils the conditions, as they are sent. */
export function isSuch(event: WorldEvent, asked: Readonly<Record<string, unknown>>, timezone: string): boolean {
  const { event_id, conditions } = asked;
  if (typeof event_id === 'number' && event.event_id !== event_id) return false;
  return holds((conditions ?? []) as Filter, (field) => eventField(event, field, timezone));
}

/** A field's value: text, exact number, truth, local time; null where it is missing. */
type Value = string | Big | boolean | null;

/** Two-valued: a missing value fails every positive comparison, every negated form is the exact complement. */
function holds(filter: Filter, read: (name: string) => Value): boolean {
  const [operator, ...rest] = filter as [string | undefined, ...unknown[]];
  if (operator === undefined) return true;
  if (operator === 'and') return rest.every((part) => holds(part as Filter, read));
  if (operator === 'or') return rest.some((part) => holds(part as Filter, read));
  if (operator === 'not') return !holds(rest[0] as Filter, read);
  if (operator === '!=') return !holds(['=', ...rest], read);
  if (operator.startsWith('not ')) return !holds([operator.slice(4), ...rest], read);
  const [name, first, second] = rest;
  const value = read(name as string);
  const order = (constant: unknown) => compare(value, constant);
  switch (operator) {
    case 'is':
      return value === null;
    case 'like':
      return typeof value === 'string' && regexOf(first as string).test(value);
    case 'in':
      return (first as unknown[]).some((constant) => order(constant) === 0);
    case 'between':
      return order(first) >= 0 && order(second) <= 0;
    case '=':
      return order(first) === 0;
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

function regexOf(pattern: string): RegExp {
  const literal = (part: string) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`^${pattern.split('%').map(literal).join('[^]*')}$`, 'u');
}

/** NaN, which fails every comparison, where a value is missing or the types differ. */
function compare(value: Value, constant: unknown): number {
  if (value instanceof Big && typeof constant === 'number') return value.cmp(constant);
  if (typeof value === 'boolean' && typeof constant === 'boolean') return Number(value) - Number(constant);
  if (typeof value !== 'string' || typeof constant !== 'string') return Number.NaN;
  return Buffer.compare(Buffer.from(value, 'utf8'), Buffer.from(constant, 'utf8'));
}

function userField(user: WorldUser, name: string, timezone: string): Value {
  const [, key, ...more] = name.split('.');
  const rest = more.join('.');
  if (key === 'custom_fields') return typed(user.custom_fields[rest]);
  if (rest === 'referrer_id') return typed(user.referral?.referrer_id);
  if (rest === 'referral_code') return typed(user.referral?.code);
  if (key === 'addition_fields') return typed(user.addition_fields[rest]);
  const value = user[key as 'username'];
  return key === 'date_create' || key === 'date_last_active' ? local(value, timezone) : typed(value);
}

function eventField(event: WorldEvent, name: string, timezone: string): Value {
  const [, key, ...more] = name.split('.');
  const rest = more.join('.');
  if (key === 'properties') return typed(rest in event ? event[rest as 'category'] : event.properties?.[rest]);
  if (key === 'date') return local(event.date, timezone);
  if (key === 'event_type_id') return typed(event.event_id);
  const value = event[key as 'value_int'];
  return value !== null && (key === 'value_int' || key === 'value_amount') ? new Big(value) : typed(value);
}

function typed(value: string | number | boolean | null | undefined): Value {
  return typeof value === 'number' ? new Big(value) : (value ?? null);
}

/** `YYYY-MM-DD HH:MM:SS` of the local clock; Sweden writes it so. */
function local(ms: unknown, timeZone: string): string | null {
  if (typeof ms !== 'number') return null;
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(ms);
}
