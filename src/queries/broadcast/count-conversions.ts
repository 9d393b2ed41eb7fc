import { setImmediate as tick } from 'node:timers/promises';
import Big from 'big.js';
import { sql } from 'kysely';
import type pg from 'pg';
import { openArrayPool } from '../../columns/array-pool.ts';
import { codedOf, indexesOf, numbersOf } from '../../columns/chunk.ts';
import { firstFrom } from '../../columns/positions.ts';
import { namedBot, ofBot } from '../../database/of-bot.ts';
import { MANY_ROWS, type Snapshot, snapshot } from '../../database/snapshot.ts';
import type { Conversion } from '../../domain/broadcast/conversions.ts';
import { PLACE } from '../../domain/broadcast/sending.ts';
import { BUCKETS, bucketEnds } from '../../domain/broadcast/variant-of.ts';
import { fieldsOf } from '../../domain/condition/condition.ts';
import { eventFilterOf } from '../reports/conditions.ts';
import { type Deferred, deferredEvents } from '../reports/deferred.ts';
import type { ReportTables } from '../reports/field-sql.ts';
import { openScan } from '../reports/scan.ts';
import { NO_CACHE } from './performed-users.ts';
import { bucketSql, digestSql } from './variant-sql.ts';

const DAY_MS = 86_400_000;

/** Of all recipients, or of the recipients of a variant. */
export interface ConvertedRecipients {
  /** Private chats with the message. */
  readonly delivered: number;
  readonly converted: number;
  /** Not converted, and the window was not over. */
  readonly in_window: number;
  /** Such events in the windows. */
  readonly events: number;
  /** The sum of their amounts, a decimal. */
  readonly value: string;
}

export interface Conversions {
  readonly total: ConvertedRecipients;
  /** In the order of the variants. */
  readonly variants: readonly ConvertedRecipients[];
  readonly deferred: Deferred | null;
}

export interface ConversionSource {
  readonly broadcastId: number;
  readonly botId: number;
  /** Of the variants; empty: there are none. */
  readonly shares: readonly number[];
  readonly tables: ReportTables & { readonly recipients: string };
  /** The bot, if statements name it (`namedBot`); null: statements name no bot. */
  readonly only: number | null;
  /** Windows that end later are not over, ms UTC. */
  readonly asOf: number;
}

export interface ConversionLimits {
  readonly timeoutMs: number;
  /** Cancels the count. */
  readonly signal: AbortSignal;
}

/**
 * Counts conversions in one snapshot.
 * @param pool connections only for counts @param others another pool, to cancel a count
 * @throws StatementTimeoutError it took too long; the signal's reason
 */
export async function countConversions(
  pool: pg.Pool,
  others: pg.Pool,
  conversion: Conversion,
  source: Omit<ConversionSource, 'only'>,
  { timeoutMs, signal }: ConversionLimits,
): Promise<Conversions> {
  const only = await namedBot(others, source.botId);
  return snapshot(pool, { timeoutMs, cancel: { signal, others }, settings: MANY_ROWS }, (opened) =>
    conversionsOf(conversion, { ...source, only }, opened),
  );
}

/** Counts recipients with an event in their window, by one scan of the packed events (decisions.md#conversions). */
export async function conversionsOf(
  { eventId, condition, days }: Conversion,
  source: ConversionSource,
  snapshot: Snapshot,
): Promise<Conversions> {
  const { botId, tables, shares, asOf } = source;
  const windowMs = days * DAY_MS;
  const groups = await deliveredBy(source, windowMs, snapshot);
  const tallies = Array.from({ length: Math.max(shares.length, 1) }, newTally);
  const ends = shares.length === 0 ? [BUCKETS] : bucketEnds(shares);
  const groupsOf = groups.map((group) => ({ ...group, index: ends.findIndex((end) => group.bucket < end) }));
  for (const { index, delivered, unknown_in_window } of groupsOf) {
    tallies[index]!.delivered += delivered;
    tallies[index]!.inWindow += unknown_in_window;
  }
  const span = spanOf(groups, windowMs);
  if (span === null) return answerOf(tallies, shares.length, null);

  const deferred = await deferredEvents({ query: snapshot.query, tables, botId, span, readsAmounts: true, path: '' });
  const arrays = openArrayPool();
  try {
    const fields = condition === null ? [] : fieldsOf(condition);
    const scan = await openScan({ botId, tables, span, snapshot, cache: NO_CACHE, arrays }, fields);
    const { columns, positionsIn } = await eventFilterOf({ eventId, filter: condition }, null, scan);
    /** By the users' indexes. NaN: no recipient. */
    const sentAt = new Float64Array(scan.users).fill(Number.NaN);
    const indexOf = new Uint8Array(scan.users);
    const converted = new Uint8Array(scan.users);
    for (const { index, recipients } of groupsOf) {
      await tick();
      snapshot.checkTime();
      eachRecipient(recipients, (user, date) => {
        sentAt[user] = date;
        indexOf[user] = index;
      });
    }
    await scan.events.each(['user_idx', 'value_amount', ...columns], (chunk, begin, end) => {
      const dates = numbersOf(chunk, 'date');
      const users = indexesOf(chunk, 'user_idx');
      const { codes, values } = codedOf(chunk, 'value_amount');
      const times = tallies.map(() => new Map<number, number>());
      const first = Math.max(begin, firstFrom(dates, span.from));
      for (const at of positionsIn(chunk, first, Math.min(end, firstFrom(dates, span.to)))) {
        const user = users[at]!;
        const since = dates[at]! - sentAt[user]!;
        if (!(since >= 0 && since < windowMs)) continue;
        const index = indexOf[user]!;
        const tally = tallies[index]!;
        tally.events++;
        tally.converted += 1 - converted[user]!;
        converted[user] = 1;
        const code = codes[at]!;
        times[index]!.set(code, (times[index]!.get(code) ?? 0) + 1);
      }
      for (const [index, counts] of times.entries())
        for (const [code, count] of counts) {
          const value = values[code];
          if (value !== null && value !== undefined)
            tallies[index]!.value = tallies[index]!.value.plus(new Big(value).times(count));
        }
    });
    for (let user = 0; user < sentAt.length; user++)
      if (sentAt[user]! + windowMs > asOf && converted[user] === 0) tallies[indexOf[user]!]!.inWindow++;
  } finally {
    arrays.close();
  }
  return answerOf(tallies, shares.length, deferred);
}

/** Some delivered recipients of a bucket; without variants all are of one. */
interface Delivered {
  readonly bucket: number;
  readonly delivered: number;
  /** Recipients that are no users with events. Their windows are not over. */
  readonly unknown_in_window: number;
  /** The others: {@link RECIPIENT_BYTES} each, the index of the user and the time of sending. */
  readonly recipients: Buffer | null;
  readonly first: number | null;
  readonly last: number | null;
}

const RECIPIENT_BYTES = 12;
/** Recipients that are read between two ticks of the event loop, about 5 ms. */
const AT_ONCE = 50_000;

async function deliveredBy(
  { broadcastId, tables, only, shares, asOf }: ConversionSource,
  windowMs: number,
  { query }: Snapshot,
): Promise<Delivered[]> {
  const [digest, bucket] =
    shares.length === 0 ? ['NULL::bytea', '0'] : [digestSql('r.broadcast_id', 'r.chat_id'), bucketSql('digest')];
  return query(sql<Delivered>`
    SELECT ${sql.raw(bucket)} AS bucket, count(*)::int AS delivered,
           count(*) FILTER (WHERE idx IS NULL AND date > ${asOf - windowMs}::bigint)::int AS unknown_in_window,
           string_agg(int4send(idx) || int8send(date), ''::bytea) FILTER (WHERE idx IS NOT NULL) AS recipients,
           min(date) FILTER (WHERE idx IS NOT NULL)::float8 AS first,
           max(date) FILTER (WHERE idx IS NOT NULL)::float8 AS last
      FROM (SELECT ${sql.raw(digest)} AS digest, r.place, r.date, k.idx
              FROM ${sql.id(tables.recipients, 'recipients')} AS r
              LEFT JOIN ${sql.id(tables.events, 'known_users')} AS k ON k.bot_id = r.bot_id AND k.user_id = r.chat_id
             WHERE r.broadcast_id = ${broadcastId}::bigint AND r.state = ${PLACE.delivered}::int AND r.chat_id > 0
               AND ${sql.raw(ofBot('r.bot_id', only))}
            OFFSET 0) AS sent
     GROUP BY bucket, place / ${AT_ONCE}::int`);
}

/** The dates of events that may be in a window. Null: there are none. */
function spanOf(groups: readonly Delivered[], windowMs: number): { readonly from: number; readonly to: number } | null {
  const first = groups.flatMap(({ first }) => first ?? []);
  const last = groups.flatMap(({ last }) => last ?? []);
  return first.length === 0 ? null : { from: Math.min(...first), to: Math.max(...last) + windowMs };
}

function eachRecipient(bytes: Buffer | null, give: (user: number, date: number) => void): void {
  for (let at = 0; at < (bytes?.length ?? 0); at += RECIPIENT_BYTES)
    give(bytes!.readInt32BE(at), Number(bytes!.readBigInt64BE(at + 4)));
}

interface Tally {
  delivered: number;
  converted: number;
  inWindow: number;
  events: number;
  value: Big;
}

const newTally = (): Tally => ({ delivered: 0, converted: 0, inWindow: 0, events: 0, value: new Big(0) });

function answerOf(tallies: readonly Tally[], variants: number, deferred: Deferred | null): Conversions {
  const total = tallies.reduce((sum, { delivered, converted, inWindow, events, value }) => ({
    delivered: sum.delivered + delivered,
    converted: sum.converted + converted,
    inWindow: sum.inWindow + inWindow,
    events: sum.events + events,
    value: sum.value.plus(value),
  }));
  return { total: shown(total), variants: variants === 0 ? [] : tallies.map(shown), deferred };
}

function shown({ delivered, converted, inWindow, events, value }: Tally): ConvertedRecipients {
  return { delivered, converted, in_window: inWindow, events, value: value.toFixed() };
}
