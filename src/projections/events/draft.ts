import { type EventValue, minorValue, normalValue } from '../../domain/intake/amounts.ts';
import type { UpdateItem } from '../../domain/intake/events.ts';
import type { Position } from '../../log/port.ts';

/** The method of the API that an event came by. */
export type Source = 'send-event' | 'send-target' | 'send-update';

/** An event on its way to a row: what it was received with, then what its place among the others gives it. */
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
  /** Decimal text; what it means: tables.ts. */
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
  /** Set once the user is known. */
  user_idx: number;
}

/** Where an item stands in the log, and when it was received. */
export interface Place {
  readonly bot_id: number;
  readonly ord: number;
  readonly commit_id: string;
  readonly idx: number;
  readonly at: number;
  /** Of the commit. */
  readonly position: Position;
}

/** What the items of the three kinds of intake have in common. */
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

/** Decimals of a unit, as the bot's settings stood when the item was received; undefined: unknown unit. */
export type ScaleOf = (unit: string) => number | undefined;

export function eventDraft(
  item: Item,
  place: Place,
  source: Source,
  scaleOf: ScaleOf,
  properties?: string,
): EventDraft {
  const { value, unit } = item;
  const worth = value === undefined ? null : readValue(source, value, unit === undefined ? null : scaleOf(unit));
  return {
    bot_id: place.bot_id,
    user_id: item.user_id,
    date: item.date ?? place.at,
    ord: place.ord,
    commit_id: place.commit_id,
    idx: place.idx,
    date_received: place.at,
    event_id: item.event_id,
    source,
    event_key: item.event_key ?? null,
    value_int: worth?.minor ?? null,
    value_norm: worth?.normal ?? null,
    // A unit without a value says nothing.
    unit: worth === null ? null : (unit ?? null),
    value_str: item.value_str ?? null,
    category: item.category ?? null,
    webapp_name: item.webapp_name ?? null,
    properties: properties ?? null,
    value_amount: null,
    session: place.ord,
    app_session: null,
    utm_id: null,
    user_idx: -1,
  };
}

/** Target events are sent in normal units, all others in minor ones. */
function readValue(source: Source, raw: string, scale: number | null | undefined): EventValue {
  return source === 'send-target' ? normalValue(raw, scale) : minorValue(raw, scale);
}

/** The value in normal units of an event whose unit was unknown when it was received and may be known by now. */
export function valueNow({ source, value_int, value_norm, unit }: EventDraft, scaleOf: ScaleOf): string | null {
  if (value_norm !== null || value_int === null || unit === null) return value_norm;
  return readValue(source, value_int, scaleOf(unit)).normal;
}

/** JSON text of what a platform update's event keeps beside its columns. */
export function propertiesOf({ command, callback_data, start_param, chat_type }: UpdateItem): string {
  return JSON.stringify({ command, callback_data, start_param, chat_type });
}

/** Where an event stands among those of its user. */
export interface Moment {
  readonly date: number;
  readonly ord: number;
}

export function byMoment(a: Moment, b: Moment): number {
  return a.date - b.date || a.ord - b.ord;
}
