import fc from 'fast-check';
import { LosslessNumber, stringify } from 'lossless-json';
import type pg from 'pg';
import { isCitus } from '../../../src/database/citus.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import type { EventKey } from '../../../src/projections/events/event-amounts.ts';
import { archiveSlice } from '../../../src/projections/events/packed/archive-slice.ts';
import type { PackLimits } from '../../../src/projections/events/packed/due.ts';
import { packSlice } from '../../../src/projections/events/packed/pack.ts';
import { restoreRows } from '../../../src/projections/events/packed/restore-rows.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import { referralReadModel } from '../../../src/projections/referral/read-model.ts';
import { createTables } from '../../../src/projections/runtime/versions.ts';
import { usersReadModel } from '../../../src/projections/users/read-model.ts';

/** The users and events of these tests: as objects for the oracles, and stored in the tables of read models. */
export interface World {
  readonly users: ReadonlyMap<number, WorldUser>;
  readonly events: readonly WorldEvent[];
}

interface WorldUser {
  readonly user_id: number;
  readonly username: string | null;
  /** ms UTC */
  readonly date_create: number;
  /** ms UTC */
  readonly date_last_active: number | null;
  readonly is_premium: boolean | null;
  readonly custom_fields: Readonly<Record<string, string | number | boolean>>;
  readonly addition_fields: Readonly<Record<string, string>>;
}

/** Numbers are decimal text, a missing field is null. */
export interface WorldEvent {
  readonly user_id: number;
  readonly event_type_id: number;
  /** ms UTC */
  readonly date: number;
  readonly date_received: number;
  readonly value_int: string | null;
  readonly value_amount: string | null;
  readonly unit: string | null;
  readonly value_str: string | null;
  readonly category: string | null;
  readonly webapp_name: string | null;
  readonly utm_source: string | null;
  readonly properties: Readonly<Record<string, string | boolean | LosslessNumber>> | null;
  /** Index in the world of the first event of the session, and of the session in its mini-application. */
  readonly session: number;
  readonly app_session: number | null;
}

export const BOT_ID = 7;
/**
 * Bots with the same events: almost all packed; some packed and archived, others changed since; the same without an archive; none
 * packed. In order of packing.
 */
export const BOT_IDS = { packed: BOT_ID + 1, archived: BOT_ID + 3, mixed: BOT_ID + 2, loose: BOT_ID };
export const TABLES = { events: 'events_test', users: 'users_test', referral: 'referral_test' };

/** Text that collations, UTF-16 and UTF-8 order differently: the last two are U+FFFD and U+1F600. */
export const TEXTS = ['', 'A', 'Z', 'a', 'ab', 'B', 'ä', 'z', 'É', '-', '%', "o'x", '\ufffd', '\u{1f600}'];
/** The clock of Berlin goes forward on 2025-03-30 and back on 2025-10-26, New York's on 2025-03-09 and 2025-11-02. */
const CENTERS = ['2025-03-09T07:00Z', '2025-03-30T01:00Z', '2025-10-26T01:00Z', '2025-11-02T06:00Z'].map(Date.parse);
/** More than the least breakdown_limit. */
export const SOURCES = ['ads', 'Blog', 'ä', 'Ads', 'zoo', '-', 'b'];
const HOUR = 3_600_000;
const QUARTER = HOUR / 4;

/** A decimal that a double does not hold. */
const LONG = '999999999999999.123456';
const lossless = (digits: string) => new LosslessNumber(digits);

function withoutNulls<T>(values: Readonly<Record<string, T | null>>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
}

/** 400 events of 12 users and of some with few events, around the clock changes, some at the same time. Deterministic. */
export function sampleWorld(): World {
  const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 3 });
  const text = nullable(fc.constantFrom(...TEXTS));
  const decimal = nullable(fc.constantFrom('0', '0.1', '0.2', '-0.3', '10', '99.99', '999999999999999.123456', '7'));
  const mixed = fc.oneof(
    fc.constantFrom('1', 'true', 'say "a\\b"', true, false),
    fc.constantFrom('1', '1.5', LONG).map(lossless),
  );
  const event = fc.record({
    user_id: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, Number.MAX_SAFE_INTEGER) },
      { weight: 1, arbitrary: fc.integer({ min: 20, max: 60 }) },
    ),
    event_type_id: fc.constantFrom(1, 101, 102),
    date: fc
      .tuple(
        fc.constantFrom(...CENTERS),
        fc.oneof(fc.integer({ min: -3 * HOUR, max: 3 * HOUR }), fc.integer({ min: -240 * HOUR, max: 240 * HOUR })),
      )
      .map(([center, offset]) => center + offset - (offset % [QUARTER, 1, 1, QUARTER, 1000][Math.abs(offset) % 5]!)),
    value_int: decimal,
    value_amount: decimal,
    unit: nullable(fc.constantFrom('EUR', 'XTR')),
    value_str: text,
    category: text,
    webapp_name: nullable(fc.constantFrom('shop', 'game')),
    utm_source: nullable(fc.constantFrom(...SOURCES)),
    properties: nullable(
      fc
        .tuple(
          fc.record({ command: fc.constantFrom(...TEXTS) }, { requiredKeys: [] }),
          fc.dictionary(fc.constantFrom('plan', 'a.b', 'constructor'), fc.oneof(text, mixed), { maxKeys: 2 }),
          fc.record({ items: fc.constantFrom('0', '0.1', '-0.3', '7', LONG).map(lossless) }, { requiredKeys: [] }),
        )
        .map(([command, others, items]) => withoutNulls({ ...command, ...others, ...items })),
    ),
    startsSession: fc.boolean(),
  });
  const drafts = fc.sample(event, { numRuns: 400, seed: 1 }).sort((a, b) => a.date - b.date);
  const sessions = new Map<string, number>();
  const events = drafts.map(({ startsSession, ...draft }, index): WorldEvent => {
    const first = (key: string) => {
      if (startsSession || !sessions.has(key)) sessions.set(key, index);
      return sessions.get(key)!;
    };
    const app = draft.webapp_name === null ? null : first(`${draft.user_id} ${draft.webapp_name}`);
    return { ...draft, date_received: draft.date + 1500, session: first(`${draft.user_id}`), app_session: app };
  });
  // Dates differ by milliseconds, by a second, or by the hour that a clock repeats.
  const userDate = fc
    .tuple(fc.constantFrom(...CENTERS), fc.constantFrom(0, 1, 999, 1000, HOUR))
    .map(([center, more]) => center + more);
  const user = fc.record({
    username: text,
    date_create: userDate,
    date_last_active: nullable(userDate),
    is_premium: nullable(fc.boolean()),
    custom_fields: fc.dictionary(fc.constantFrom('level', "na'me"), fc.constantFrom('1', 1, 1.5, true, 'ä')),
    addition_fields: fc.dictionary(
      fc.constantFrom('utm_source', 'start_param', 'referral_code'),
      fc.constantFrom(...TEXTS),
    ),
  });
  const ids = [...new Set(events.map(({ user_id }) => user_id))].filter((id) => id !== 11); // one user is not known yet
  const users = fc
    .sample(user, { numRuns: ids.length, seed: 2 })
    .map((fields, index) => ({ ...fields, user_id: ids[index]! }));
  return { events, users: new Map(users.map((each) => [each.user_id, each])) };
}

/** The public id of a session, from the index of its first event. */
export function sessionId(index: number): string {
  return `${commitId(index)}.3`;
}

const commitId = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;
/** The `ord` of an event, by its index in the world. It differs from the order of dates, because events come late or backdated. */
export const ordOf = (index: number) => ((index * 7919) % 4001) * 1024 + 3;

/** Creates the read models' tables and fills them. */
export async function storeWorld(pool: pg.Pool, { users, events }: World): Promise<void> {
  for (const [schema, model] of [
    [TABLES.events, eventsReadModel],
    [TABLES.users, usersReadModel],
    [TABLES.referral, referralReadModel],
  ] as const)
    await inTransaction(pool, (tx) => createTables(tx, model, schema, () => collateLikePeople(tx, schema)));
  const insert = (table: string, rows: readonly object[]) =>
    pool.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [stringify(rows)]);
  const known = [...new Set(events.map(({ user_id }) => user_id))];
  const changes: (() => Promise<void>)[] = [];
  for (const bot_id of Object.values(BOT_IDS)) {
    const rows = events.map(({ event_type_id, utm_source, session, app_session, ...columns }, index) => ({
      ...columns,
      bot_id,
      event_id: event_type_id,
      ord: ordOf(index),
      session: ordOf(session),
      app_session: app_session === null ? null : ordOf(app_session),
      commit_id: commitId(index),
      idx: 3,
      user_idx: known.indexOf(columns.user_id),
      utm_id: utm_source === null ? null : SOURCES.indexOf(utm_source) + 1,
    }));
    await insert(`${TABLES.events}.bots`, [botRow(bot_id, known.length)]);
    await insert(
      `${TABLES.events}.known_users`,
      known.map((user_id, idx) => ({ bot_id, user_id, since: 0, idx })),
    );
    await insert(
      `${TABLES.events}.utms`,
      SOURCES.map((source, index) => ({ bot_id, utm_id: index + 1, source })),
    );
    await insert(
      `${TABLES.users}.users`,
      [...users.values()].map(({ addition_fields: { referral_code: _, ...addition_fields }, ...user }) => ({
        ...user,
        addition_fields,
        bot_id,
        user_status: 'active',
      })),
    );
    await insert(
      `${TABLES.referral}.referrals`,
      [...users.values()].flatMap(({ user_id, addition_fields: { referral_code: code } }) =>
        code === undefined ? [] : [{ bot_id, user_id, code, referrer_id: 1, date: 0, ord: 0 }],
      ),
    );
    if (bot_id !== BOT_IDS.mixed && bot_id !== BOT_IDS.archived) await insert(`${TABLES.events}.events`, rows);
    else {
      const early = rows.filter((_, index) => index % 5 !== 0);
      await insert(
        `${TABLES.events}.events`,
        early.map((row, index) => (index % 7 === 0 ? { ...row, ...BEFORE } : row)),
      );
      await pack(pool, PACK_ALL);
      if (bot_id === BOT_IDS.archived) await archive(pool);
      const changed = early.filter((_, index) => index % 7 === 0);
      changes.push(async () => {
        await restore(pool, changed);
        await insert(
          `${TABLES.events}.events`,
          rows.filter((_, index) => index % 5 === 0),
        );
        const columns = Object.keys(BEFORE).join();
        await pool.query(
          `UPDATE ${TABLES.events}.events AS e SET (${columns}) = (
             SELECT ${columns} FROM jsonb_populate_recordset(e, $1) AS r
              WHERE (r.bot_id, r.user_id, r.date, r.ord) = (e.bot_id, e.user_id, e.date, e.ord))
            WHERE bot_id = ${bot_id} AND (user_id, date, ord) IN (
              SELECT user_id, date, ord FROM jsonb_populate_recordset(NULL::${TABLES.events}.events, $1))`,
          [stringify(changed)],
        );
      });
    }
    if (bot_id === BOT_IDS.mixed) {
      for (const change of changes) await change();
      await pack(pool, PACK_SOME);
    }
    if (bot_id === BOT_IDS.packed) await pack(pool, PACK_ALL);
  }
}

/** Changes events as a revaluation, merged sessions and a late visit do. */
const BEFORE = { value_amount: '-1', session: 1, app_session: 1, utm_id: 1 };
export const PACK_ALL = { chunk: 32, newest: 3, changed: 1, share: 1_000_000, changedInChunk: 1_000_000 };
/** Packs only the chunks with the most changes, and new events. */
const PACK_SOME = { ...PACK_ALL, changed: 60 };

async function beginInEvents(tx: pg.ClientBase): Promise<void> {
  await isCitus(tx); // looked up, for the statements
  await tx.query(`SET LOCAL search_path TO ${TABLES.events}`);
}

export async function pack(pool: pg.Pool, limits: PackLimits): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await beginInEvents(tx);
    while (await packSlice(tx, limits));
  });
}

/** A Citus cluster archives nothing. */
async function archive(pool: pg.Pool): Promise<void> {
  if (await isCitus(pool)) return;
  await inTransaction(pool, async (tx) => {
    await beginInEvents(tx);
    while (await archiveSlice(tx, 1));
  });
}

async function restore(pool: pg.Pool, rows: readonly Pick<EventKey, 'bot_id' | 'user_id' | 'date'>[]): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await beginInEvents(tx);
    await restoreRows(
      tx,
      rows.map(({ bot_id, user_id, date }) => ({ bot_id, user_id, from: date, until: date })),
    );
  });
}

function botRow(bot_id: number, user_count: number): object {
  const names = { public_key: `bot${bot_id}`, owner_id: 1, pair_separator: '_', value_separator: '-' };
  const clock = bot_id === BOT_IDS.archived ? Date.UTC(2027, 0, 1) : 0;
  return { bot_id, ...names, units: {}, rules: [], clock, utm_count: SOURCES.length, user_count, property_count: 0 };
}

/** Gives all text columns a collation that databases often have, and that does not order by code points. */
async function collateLikePeople(tx: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await tx.query<{ statement: string }>(
    `SELECT format('ALTER TABLE %I.%I ALTER COLUMN %I TYPE %s COLLATE "en-x-icu"', table_schema, table_name, column_name,
                   CASE data_type WHEN 'ARRAY' THEN 'text[]' ELSE 'text' END) AS statement
     FROM information_schema.columns
    WHERE table_schema = $1 AND udt_name IN ('text', '_text') AND collation_name IS NULL`,
    [schema],
  );
  for (const { statement } of rows) await tx.query(statement);
}
