import type { ProgramAnswer } from '../../../src/api/referral/overview-schemas.ts';
import type { BotUser } from '../../../src/api/users/schemas.ts';
import { RequestError, request, type Value } from '../api.ts';
import { type Catalog, loadCatalog } from '../parts/catalog.ts';
import { type EventNames, eventNames } from '../parts/event-words.ts';
import { MONEY_EVENTS, reportOf } from './timeline.ts';

export interface Person {
  readonly user: BotUser;
  readonly names: EventNames;
  /** The fields of custom properties that events have. */
  readonly properties: readonly string[];
  /** Codes of the bot's units, by id. */
  readonly units: ReadonlyMap<number, string>;
  readonly figures: Figures;
  /** The names of saved segments that have the person. */
  readonly segments: readonly string[];
}

export interface Figures {
  /** In the owner's currency; null: no payment. */
  readonly spent: Value;
  readonly payments: number;
  readonly events: number;
}

/** Custom properties that the line of time shows; a list has at most 200 columns. */
const MOST_PROPERTIES = 100;

/** Loads a person; null: the bot has no such user. */
export async function loadPerson(bot: string, id: string, signal: AbortSignal): Promise<Person | null> {
  const user = await userOf(bot, id, signal);
  if (user === null) return null;
  const catalog = await loadCatalog(bot, signal);
  const [figures, segments, { units }] = await Promise.all([
    figuresOf(bot, user.user_id, signal),
    segmentsOf(bot, user, catalog, signal),
    request<ProgramAnswer>('/v1/referral/program', { bot, signal }),
  ]);
  const properties = catalog.fields.flatMap(({ name, types }) => (types === undefined ? [] : [name]));
  return {
    user,
    names: eventNames(catalog.events),
    properties: properties.slice(0, MOST_PROPERTIES),
    units: new Map(units.map(({ unit_id, code }) => [unit_id, code])),
    figures,
    segments,
  };
}

async function userOf(bot: string, id: string, signal: AbortSignal): Promise<BotUser | null> {
  if (!/^[1-9]\d{0,15}$/.test(id)) return null;
  try {
    return await request<BotUser>(`/v1/users/get?user_id=${id}`, { bot, signal });
  } catch (error) {
    // No user has an id beyond the safe integers.
    if (error instanceof RequestError && [400, 404].includes(error.status)) return null;
    throw error;
  }
}

interface Answer {
  readonly columns: readonly { readonly total?: Value }[];
  readonly rows: readonly Readonly<Record<string, Value>>[];
}

const run = (bot: string, report_config: object, signal: AbortSignal): Promise<Answer> =>
  request<Answer>('/v1/reports/run', { method: 'POST', bot, body: { report_config }, signal });

async function figuresOf(bot: string, user: number, signal: AbortSignal): Promise<Figures> {
  const ofMoney = { filters: ['in', 'events.event_type_id', MONEY_EVENTS] };
  const trend = { type: 'trend', event_id: null, event_name: 'all' };
  const requests = [
    { ...trend, agr: 'total' },
    { ...trend, agr: 'total', ...ofMoney },
    { ...trend, agr: 'property_sum', agr_field: 'events.value_amount', ...ofMoney },
  ];
  const { columns } = await run(
    bot,
    reportOf(user, { type: 'trends', type_chart: 'number', granularity: 'month', requests }),
    signal,
  );
  const [events, payments, spent] = columns.slice(1).map(({ total }) => total ?? null);
  return { events: Number(events), payments: Number(payments), spent: spent ?? null };
}

async function segmentsOf(
  bot: string,
  { user_id, erased }: BotUser,
  { fields }: Catalog,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const segments = fields.filter(({ name }) => name.startsWith('user.saved_segments.')).slice(0, MOST_PROPERTIES);
  if (segments.length === 0 || erased) return [];
  const list = { type: 'list', type_chart: 'list', table: 'users', columns: segments.map(({ name }) => name) };
  const { source_request, settings } = reportOf(user_id, list) as { source_request: object; settings: object };
  const config = { source_request: { ...source_request, filters: ['=', 'user.user_id', user_id] }, settings };
  const { rows } = await run(bot, config, signal);
  return segments.flatMap(({ name, label }) => (rows[0]?.[name] === true ? [label ?? name] : []));
}
