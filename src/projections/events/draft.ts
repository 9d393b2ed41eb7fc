import { type EventValue, minorValue, normalValue } from '../../domain/intake/amounts.ts';
import type { UpdateItem } from '../../domain/intake/intake-events.ts';
import type { Position } from '../../log/port.ts';

/** The API method that received an event. */
export type Source = 'send-event' | 'send-target' | 'send-update';

/** An event before it is a row: the received fields, then the fields that depend on the user's other events. */
export interface EventDraft {
  readonly bot_id: number;
  readonly user_id: number;
  /** ms UTC */
  readonly date: number;
  readonly ord: number;
  readonly commit_id: string;
  readonly idx: number;
  readonly date_received: number;
  readonly event_id: number;
  readonly source: Source;
  readonly event_key: string | null;
  /** Decimal text; tables.ts explains the three values. */
  readonly value_int: string | null;
  readonly value_norm: string | null;
  readonly unit: string | null;
  readonly value_str: string | null;
  readonly category: string | null;
  readonly webapp_name: string | null;
  /** JSON text. */
  readonly properties: string | null;
  value_amount: string | null;
  session: number;
  app_session: number | null;
  utm_id: number | null;
  /** Set when the rows are written. */
  user_idx: number;
}

/** The position of an item in the log, and its receipt. */
export interface ItemOrigin {
  readonly bot_id: number;
  readonly ord: number;
  readonly commit_id: string;
  readonly idx: number;
  readonly at: number;
  /** The commit's position. */
  readonly position: Position;
  readonly trace?: string | undefined;
}

/** The fields of the items of all three kinds of intake. */
interface Item {
  readonly user_id: number;
  readonly event_id: number;
  readonly date?: number | undefined;
  readonly value?: string | undefined;
  readonly unit?: string | undefined;
  readonly value_str?: string | undefined;
  readonly category?: string | undefined;
  readonly webapp_name?: string | undefined;
  readonly event_key?: string | undefined;
}

/** Decimals of a unit by the bot's settings at the receipt of the item; undefined: unknown unit. */
export type ScaleOf = (unit: string) => number | undefined;

export function eventDraft(
  item: Item,
  origin: ItemOrigin,
  source: Source,
  scaleOf: ScaleOf,
  properties?: string | null,
): EventDraft {
  const { value, unit } = item;
  const worth = value === undefined ? null : readValue(source, value, unit === undefined ? null : scaleOf(unit));
  return {
    bot_id: origin.bot_id,
    user_id: item.user_id,
    date: item.date ?? origin.at,
    ord: origin.ord,
    commit_id: origin.commit_id,
    idx: origin.idx,
    date_received: origin.at,
    event_id: item.event_id,
    source,
    event_key: item.event_key ?? null,
    value_int: worth?.minor ?? null,
    value_norm: worth?.normal ?? null,
    // A unit without a value has no meaning.
    unit: worth === null ? null : (unit ?? null),
    value_str: item.value_str ?? null,
    category: item.category ?? null,
    webapp_name: item.webapp_name ?? null,
    properties: properties ?? null,
    value_amount: null,
    session: origin.ord,
    app_session: null,
    utm_id: null,
    user_idx: -1,
  };
}

/** Target events have values in normal units, all others in minor units. */
function readValue(source: Source, raw: string, scale: number | null | undefined): EventValue {
  return source === 'send-target' ? normalValue(raw, scale) : minorValue(raw, scale);
}

/** The value in normal units, also of an event whose unit was unknown at its receipt and may be known by now. */
export function valueNow({ source, value_int, value_norm, unit }: EventDraft, scaleOf: ScaleOf): string | null {
  if (value_norm !== null || value_int === null || unit === null) return value_norm;
  return readValue(source, value_int, scaleOf(unit)).normal;
}

/** JSON text of the fields of a platform update that have no column. */
export function propertiesOf(item: UpdateItem): string {
  const { command, callback_data, start_param, chat_type, charge_id, recurring, subscription_until } = item;
  const until = subscription_until === undefined ? undefined : new Date(subscription_until).toISOString();
  return JSON.stringify({
    command,
    callback_data,
    start_param,
    chat_type,
    charge_id,
    recurring,
    subscription_until: until,
  });
}

/** Orders the events of a user. */
export interface Moment {
  readonly date: number;
  readonly ord: number;
}

export function byMoment(a: Moment, b: Moment): number {
  return a.date - b.date || a.ord - b.ord;
}
