import Big from 'big.js';
import { code as isoCurrency } from 'currency-codes';
import type { CustomEventItem, TargetEventItem, UpdateItem } from '../../src/domain/intake/intake-events.ts';
import { SYSTEM_EVENTS } from '../../src/domain/intake/system-events.ts';
import type { ReadCommit } from '../../src/projections/read-model.ts';
import { amountOf, type Money, moneyOf } from './intake-money.ts';

/**
 * The oracle of the read model `events`: computes its rows from a log in the plainest way, without batches or updated state.
 * Every event is compared with all others. Sessions and UTM are named by their content, not by ids.
 */
export interface EventsSnapshot {
  readonly events: readonly EventRow[];
  readonly visits: readonly object[];
  readonly users: readonly object[];
  readonly types: readonly object[];
  readonly properties: readonly object[];
  readonly errors: readonly object[];
  /** Payments whose refund counts. */
  readonly refunded: readonly object[];
}

export interface EventRow {
  /** `<commit id>/<index>` */
  readonly id: string;
  readonly bot_id: number;
  readonly user_id: number;
  readonly date: number;
  readonly received: number;
  readonly event_id: number;
  readonly value_int: string | null;
  readonly value_amount: string | null;
  readonly unit: string | null;
  readonly value_str: string | null;
  readonly category: string | null;
  readonly webapp_name: string | null;
  readonly properties: object | null;
  /** Id of the earliest event of the session. */
  readonly session: string;
  readonly app_session: string | null;
  readonly utm: string | null;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type AnyItem = CustomEventItem & TargetEventItem & Omit<UpdateItem, 'person'>;
type Item = { readonly [K in keyof AnyItem]?: AnyItem[K] | undefined } & { readonly user_id: number };

interface Candidate {
  readonly bot: BotState;
  readonly item: Item;
  readonly source: string;
  readonly id: string;
  readonly order: number;
  readonly received: number;
  readonly date: number;
  /** At the receipt; null: there is no unit, undefined: it is unknown. */
  readonly scale: number | null | undefined;
}

interface BotState {
  readonly bot_id: number;
  readonly owner_id: number;
  readonly codes: string[];
  pair: string;
  value: string;
  clock: number;
  readonly units: Map<string, { readonly scale: number; readonly at: number }>;
  readonly known: Map<number, number>;
  readonly keys: Set<string>;
  readonly names: Set<string>;
  readonly updates: { id: number; received: number }[];
  readonly waiting: Candidate[];
  /** Payments and refunds that count. */
  readonly charges: Candidate[];
}

interface VisitState {
  readonly candidate: Candidate;
  readonly code: string;
  readonly utm: string | null;
  readonly first_seen: boolean;
}

interface ErrorState {
  readonly candidate: Candidate;
  resolved_at: number | null;
}

export function foldIntake(commits: readonly ReadCommit[]): EventsSnapshot {
  const bots = new Map<string, BotState>();
  const stored: Candidate[] = [];
  const visits: VisitState[] = [];
  const unknown: ErrorState[] = [];
  const refunded: object[] = [];
  const types: { bot_id: number; event_id: number; kind: string; name: string; target_id: number | null }[] = [];
  const money = moneyOf(commits);

  for (const commit of commits) {
    let index = 0;
    const key = /^[^-]+-([^/]+)/.exec(commit.stream)![1]!;
    for (const event of commit.events) {
      const bot = bots.get(key)!;
      const scaleOf = (unit: string, source: string) => {
        const iso = unit === 'XTR' ? 0 : isoCurrency(unit)?.digits;
        const own = bot.units.get(unit)?.scale;
        return source === 'send-update' ? (iso ?? own) : (own ?? iso);
      };
      const candidate = (item: Item, source: string): Candidate => ({
        bot,
        item,
        source,
        id: `${commit.id}/${index}`,
        order: commit.ordinal * 1024 + index++,
        received: commit.at,
        date: item.date ?? commit.at,
        scale: item.unit === undefined ? null : scaleOf(item.unit, source),
      });
      const appear = (user: number) => {
        if (bot.known.has(user)) return;
        bot.known.set(user, commit.at);
        for (const waiting of bot.waiting) {
          if (waiting.item.user_id !== user || bot.clock - waiting.received > DAY) continue;
          stored.push(waiting);
          unknown.find((error) => error.candidate === waiting)!.resolved_at = commit.at;
        }
      };
      switch (event.type) {
        case 'bot_created': {
          const { bot_id, owner_id, pair_separator: pair, value_separator: value } = event.data;
          const lists = { updates: [], waiting: [], codes: [], charges: [] };
          const collections = {
            units: new Map(),
            known: new Map(),
            keys: new Set<string>(),
            names: new Set<string>(),
            ...lists,
          };
          bots.set(key, { bot_id, owner_id, pair, value, clock: 0, ...collections });
          for (const [name, event_id] of Object.entries(SYSTEM_EVENTS))
            types.push({ bot_id, event_id, kind: 'system', name, target_id: null });
          types.push({ bot_id, event_id: 100, kind: 'target', name: 'Sale', target_id: 1 });
          break;
        }
        case 'bot_changed':
          bot.pair = event.data.pair_separator ?? bot.pair;
          bot.value = event.data.value_separator ?? bot.value;
          break;
        case 'unit_created':
          if (!bot.units.has(event.data.code))
            bot.units.set(event.data.code, { scale: event.data.scale, at: commit.at });
          break;
        case 'event_type_registered':
          types.push({ bot_id: bot.bot_id, kind: 'custom', target_id: null, ...event.data });
          break;
        case 'goal_created':
          types.push({ bot_id: bot.bot_id, kind: 'target', ...event.data });
          break;
        case 'custom_events_received':
        case 'target_events_received':
        case 'events_imported':
          bot.clock = Math.max(bot.clock, commit.at);
          for (const item of event.data.items) {
            const found = candidate(item, event.type === 'target_events_received' ? 'send-target' : 'send-event');
            if (event.type === 'events_imported') appear(item.user_id);
            if (item.event_key !== undefined && bot.keys.has(item.event_key)) continue;
            if (item.event_key !== undefined) bot.keys.add(item.event_key);
            for (const name of Object.keys(item.properties ?? {})) bot.names.add(name);
            if (bot.known.has(item.user_id)) stored.push(found);
            else {
              bot.waiting.push(found);
              unknown.push({ candidate: found, resolved_at: null });
            }
          }
          break;
        case 'updates_received':
          bot.clock = Math.max(bot.clock, commit.at);
          for (const item of event.data.items) {
            const found = candidate(item, 'send-update');
            const seen = bot.updates.filter(({ id }) => id === item.update_id);
            if (seen.some(({ received }) => bot.clock - received <= 7 * DAY)) continue;
            bot.updates.push({ id: item.update_id, received: commit.at });
            const first_seen = !bot.known.has(item.user_id);
            if (item.makes_user) appear(item.user_id);
            if (!bot.known.has(item.user_id) || item.event_id === undefined) continue;
            const { charge_id } = item;
            if (charge_id !== undefined) {
              const same = bot.charges.filter((other) => other.item.charge_id === charge_id);
              if (same.some((other) => other.item.event_id === item.event_id)) continue;
              bot.charges.push(found);
              const payment = [...same, found].find((each) => each.item.event_id === SYSTEM_EVENTS.payment);
              if (same.length > 0) refunded.push({ ...refundedOf(payment!), position: commit.position });
            }
            stored.push(found);
            const code = item.start_param;
            if (code !== undefined) visits.push({ candidate: found, code, utm: utmOf(code, bot), first_seen });
          }
          break;
        case 'referral_code_created':
          bot.codes.push(event.data.code);
          break;
        case 'users_imported':
        case 'referrals_imported':
          bot.clock = Math.max(bot.clock, commit.at);
          for (const { user_id } of event.data.items) appear(user_id);
          break;
      }
    }
  }

  const rows = stored.map((candidate) => rowOf(candidate, stored, visits, money));
  return {
    events: rows.map(({ row }) => row),
    visits: visits.map(({ candidate: { id, bot, item, date }, code, utm, first_seen }) => {
      return { id, bot_id: bot.bot_id, user_id: item.user_id, date, code, utm, first_seen };
    }),
    users: [...bots.values()].flatMap(({ bot_id, known }) =>
      [...known].map(([user_id, since]) => ({ bot_id, user_id, since })),
    ),
    types: types.map((type) => {
      const dates = stored
        .filter((s) => s.bot.bot_id === type.bot_id && s.item.event_id === type.event_id)
        .map((s) => s.date);
      const ends = dates.length === 0 ? [null, null] : [Math.min(...dates), Math.max(...dates)];
      return { ...type, first_seen: ends[0], last_seen: ends[1], count: dates.length };
    }),
    properties: [...bots.values()].flatMap((bot) =>
      [...bot.names].map((name) => {
        const of = stored.filter(({ bot: of, item }) => of === bot && Object.hasOwn(item.properties ?? {}, name));
        const types = new Set(of.map(({ item }) => BITS[typeof item.properties![name] as keyof typeof BITS]));
        return { bot_id: bot.bot_id, name, types: [...types].reduce<number>((sum, bit) => sum + bit, 0) };
      }),
    ),
    errors: [
      ...unknown.map(({ candidate, resolved_at }) => ({
        ...errorOf(candidate, candidate.received, resolved_at),
        kind: 'unknown_user',
        message: `User with id ${candidate.item.user_id} was not found`,
      })),
      ...rows.flatMap(({ warning }) => (warning === null ? [] : [warning])),
    ].filter(({ date, bot_id }) => {
      const bot = [...bots.values()].find((bot) => bot.bot_id === bot_id)!;
      return date >= Math.floor(bot.clock / HOUR) * HOUR - 90 * DAY;
    }),
    refunded,
  };
}

function refundedOf({ id, bot, item, received }: Candidate): object {
  return { id, bot_id: bot.bot_id, user_id: item.user_id, received };
}

/** A number is an object in the log. */
const BITS = { string: 1, object: 2, boolean: 4 };

function plainProperties({ properties }: Item): object | null {
  if (properties === undefined || Object.keys(properties).length === 0) return null;
  const values = Object.entries(properties).map(([name, value]) => {
    return [name, typeof value === 'object' ? Number(value.number) : value] as const;
  });
  return Object.fromEntries(values);
}

function errorOf({ id, bot, source }: Candidate, date: number, resolved_at: number | null) {
  return { id, bot_id: bot.bot_id, source, date, resolved_at };
}

function utmOf(payload: string, { pair, value, codes }: BotState): string | null {
  const fields: Record<string, string> = {};
  for (const piece of payload.split(pair)) {
    const [key, ...rest] = piece.split(value);
    const name = key!.replace(/^utm_?/, '');
    if (!['source', 'medium', 'campaign', 'term', 'content'].includes(name) || rest.join(value) === '') continue;
    fields[name] = rest.join(value);
  }
  const bare = Object.keys(fields).length === 0;
  if (bare && codes.includes(payload)) return null;
  if (bare) fields['source'] = payload;
  return ['source', 'medium', 'campaign', 'term', 'content'].map((name) => fields[name] ?? '').join('|');
}

function rowOf(c: Candidate, stored: readonly Candidate[], visits: readonly VisitState[], money: Money) {
  const mine = (other: Candidate) => other.bot === c.bot && other.item.user_id === c.item.user_id;
  const place = (a: Candidate, b: Candidate) => a.date - b.date || a.order - b.order;
  const ofUser = stored.filter(mine).sort(place);
  const { webapp_name } = c.item;
  const utm = visits
    .filter((visit) => visit.utm !== null && mine(visit.candidate) && visit.candidate.date <= c.date)
    .sort((a, b) => place(a.candidate, b.candidate))
    .at(-1)?.utm;

  const { value, unit } = c.item;
  const late = c.scale === undefined ? c.bot.units.get(unit!) : undefined;
  const scale = c.scale === undefined ? late?.scale : c.scale;
  const unitKnown = scale !== undefined;
  const power = new Big(10).pow(scale ?? 0);
  const isTarget = c.source === 'send-target';
  // Big divides to a fixed number of decimals. An exact division needs enough of them.
  Big.DP = 60;
  const normal = value === undefined || !unitKnown ? null : isTarget ? new Big(value) : new Big(value).div(power);
  const minor = value === undefined ? null : isTarget && unitKnown ? new Big(value).times(power) : new Big(value);

  const known = c.scale === undefined ? (late?.at ?? null) : 0;
  const { amount, warning } = amountOf(
    { ...c, owner_id: c.bot.owner_id, unit: value === undefined ? undefined : unit, normal, known },
    money,
  );
  const { command, callback_data, start_param, chat_type, charge_id } = c.item;
  const row: EventRow = {
    id: c.id,
    bot_id: c.bot.bot_id,
    user_id: c.item.user_id,
    date: c.date,
    received: c.received,
    event_id: c.item.event_id!,
    value_int: minor === null ? null : minor.toFixed(),
    value_amount: amount,
    unit: value === undefined ? null : (unit ?? null),
    value_str: c.item.value_str ?? null,
    category: c.item.category ?? null,
    webapp_name: webapp_name ?? null,
    properties:
      c.source === 'send-update'
        ? JSON.parse(JSON.stringify({ command, callback_data, start_param, chat_type, charge_id }))
        : plainProperties(c.item),
    session: earliest(c, ofUser).id,
    app_session:
      webapp_name === undefined
        ? null
        : earliest(
            c,
            ofUser.filter((other) => other.item.webapp_name === webapp_name),
          ).id,
    utm: utm ?? null,
  };
  return {
    row,
    warning: warning && { ...errorOf(c, warning.date, warning.resolved_at), kind: 'warning', message: warning.message },
  };
}

/** The first event of a session: goes back as long as the distance to the event before is at most 30 minutes. */
function earliest(event: Candidate, sorted: readonly Candidate[]): Candidate {
  let at = sorted.indexOf(event);
  while (at > 0 && sorted[at]!.date - sorted[at - 1]!.date <= 30 * MINUTE) at--;
  return sorted[at]!;
}
