import type { ReceivedBroadcasts } from '../../../src/api/users/schemas.ts';
import { request, type Value } from '../api.ts';
import type { IconName } from '../parts/icon.tsx';

/** An entry of a person's line of time. */
export interface Entry {
  readonly id: string;
  /** ISO 8601 with an offset. */
  readonly at: string;
  readonly kind: 'event' | 'sent' | 'money' | 'ref';
  readonly icon: IconName;
  readonly what: Fact;
}

/** The content of an entry; the view has the words. */
type Fact =
  | { readonly type: 'event'; readonly row: EventRow }
  | { readonly type: 'broadcast' | 'click'; readonly broadcast: Broadcast }
  | { readonly type: 'brought'; readonly user: number }
  | { readonly type: 'account'; readonly change: AccountChange };

export type EventRow = Readonly<Record<string, Value>>;
export type Broadcast = ReceivedBroadcasts['items'][number];

interface AccountChange {
  readonly event: string;
  readonly amount: Value;
  readonly unit_id: number | null;
  readonly date: string;
  readonly position: Value;
  readonly accrual_id: Value;
  readonly payout_id: Value;
}

/** A list of entries, the newest first, that is loaded page by page. */
export interface Source {
  readonly page: (offset: number, signal: AbortSignal) => Promise<readonly Entry[]>;
}

/** Entries of a page of each source. */
const SIZE = 50;

const COLUMNS = ['date', 'event_type_id', 'value_amount', 'value_int', 'unit', 'category', 'value_str', 'webapp_name']
  .concat(['utm_source', 'utm_medium', 'utm_campaign'])
  .map((name) => `events.${name}`);

/** The system event of a payment, a refund, and the goal Sale: money of the person. */
export const MONEY_EVENTS: readonly number[] = [3, 9, 100];

/** Before any event, and after every one: reports need a period. */
const EVER = { ':date_from': '1970-01-02 00:00:00', ':date_to': '2100-12-31 23:59:59' };

/** A report over all events of a person. */
export const reportOf = (user: number, source: object): object => ({
  source_request: { ...source, filters: ['=', 'events.user_id', user] },
  settings: { params: EVER },
});

/** @param properties names of custom properties, as fields */
export function eventsSource(bot: string, user: number, properties: readonly string[]): Source {
  const columns = [...COLUMNS, ...properties];
  return {
    async page(offset, signal) {
      const list = { type: 'list', type_chart: 'list', table: 'events', columns, limit: SIZE, offset };
      const report_config = reportOf(user, { ...list, order: { 'events.date': 'desc' } });
      const { rows } = await request<{ rows: readonly EventRow[] }>('/v1/reports/run', {
        ...{ method: 'POST', bot, body: { report_config }, signal },
      });
      return rows.map((row, index): Entry => {
        const isMoney = row['events.value_amount'] !== null;
        const event = Number(row['events.event_type_id']);
        return {
          id: `event ${offset + index}`,
          at: String(row['events.date']),
          kind: isMoney ? 'money' : 'event',
          icon: isMoney ? 'money' : event < 100 ? 'message' : 'events',
          what: { type: 'event', row },
        };
      });
    },
  };
}

/** Broadcasts that had the person, and their clicks. */
export function broadcastsSource(bot: string, user: number): Source {
  return {
    async page(offset, signal) {
      const query = new URLSearchParams({ user_id: `${user}`, limit: `${SIZE}`, offset: `${offset}` });
      const { items } = await request<ReceivedBroadcasts>(`/v1/users/broadcasts?${query}`, { bot, signal });
      return items.flatMap((broadcast): Entry[] => {
        const { broadcast_id: id, date, first_click } = broadcast;
        const of = (type: 'broadcast' | 'click', at: string | null, icon: IconName): Entry[] =>
          at === null ? [] : [{ id: `${type} ${id}`, at, kind: 'sent', icon, what: { type, broadcast } }];
        return [...of('click', first_click, 'link'), ...of('broadcast', date, 'broadcast')];
      });
    },
  };
}

/** A date of the referral methods as ISO 8601: they are UTC without saying so. */
const utc = (date: string): string => `${date.replace(' ', 'T')}Z`;

export function broughtSource(bot: string, user: number): Source {
  return {
    async page(offset, signal) {
      const query = new URLSearchParams({ user_id: `${user}`, limit: `${SIZE}`, offset: `${offset}` });
      const { referrals } = await request<{ referrals: readonly { referral_id: number; date: string }[] }>(
        `/v1/referral/referrals?${query}`,
        { bot, signal },
      );
      return referrals.map(
        ({ referral_id, date }): Entry => ({
          ...{ id: `brought ${referral_id}`, at: utc(date), kind: 'ref', icon: 'referral' },
          what: { type: 'brought', user: referral_id },
        }),
      );
    },
  };
}

export function accountSource(bot: string, user: number): Source {
  return {
    async page(offset, signal) {
      const query = new URLSearchParams({ user_id: `${user}`, order: 'desc', limit: `${SIZE}`, offset: `${offset}` });
      const { history } = await request<{ history: readonly AccountChange[] }>(`/v1/referral/history?${query}`, {
        bot,
        signal,
      });
      return history.map(
        (change): Entry => ({
          id: `account ${change.position} ${change.event} ${change.accrual_id ?? change.payout_id}`,
          at: utc(change.date),
          kind: 'ref',
          icon: 'money',
          what: { type: 'account', change },
        }),
      );
    },
  };
}

interface Loaded {
  readonly source: Source;
  readonly entries: readonly Entry[];
  /** Requested so far; sources may make several entries of a row. */
  readonly offset: number;
  readonly isDone: boolean;
}

/** The entries of all sources as far back as each of them is known. */
export interface Timeline {
  readonly sources: readonly Loaded[];
  readonly entries: readonly Entry[];
  readonly isDone: boolean;
}

export const begun = (sources: readonly Source[]): Timeline => ({
  sources: sources.map((source) => ({ source, entries: [], offset: 0, isDone: false })),
  entries: [],
  isDone: false,
});

/** Loads the next page of every source that has one. */
export async function older({ sources }: Timeline, signal: AbortSignal): Promise<Timeline> {
  const next = await Promise.all(
    sources.map(async (each): Promise<Loaded> => {
      if (each.isDone) return each;
      const page = await each.source.page(each.offset, signal);
      const isDone = new Set(page.map(({ id }) => id.replace(/^click /, 'broadcast '))).size < SIZE;
      return { ...each, entries: [...each.entries, ...page], offset: each.offset + SIZE, isDone };
    }),
  );
  const time = ({ at }: Entry): number => Date.parse(at);
  // An entry that is older than the end of an unfinished source may have others of it before it.
  const known = Math.max(
    ...next
      .filter(({ isDone, entries }) => !isDone && entries.length > 0)
      .map(({ entries }) => Math.min(...entries.map(time))),
    Number.NEGATIVE_INFINITY,
  );
  const all = [...new Map(next.flatMap(({ entries }) => entries.map((entry) => [entry.id, entry]))).values()];
  const entries = all.filter((entry) => time(entry) >= known).toSorted((a, b) => time(b) - time(a));
  return { sources: next, entries, isDone: next.every(({ isDone }) => isDone) };
}
