import fc from 'fast-check';
import type pg from 'pg';
import { isCitus } from '../../../src/database/citus.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { broadcastsReadModel } from '../../../src/projections/broadcasts/read-model.ts';
import { packSlice } from '../../../src/projections/events/packed/pack.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import { recipientsReadModel } from '../../../src/projections/recipients/read-model.ts';
import { referralReadModel } from '../../../src/projections/referral/read-model.ts';
import { createTables, setSearchPath } from '../../../src/projections/runtime/versions.ts';
import { usersReadModel } from '../../../src/projections/users/read-model.ts';

/** The data behind the audiences of these tests: users, their events, and lists. The oracle reads it as it is. */
export interface World {
  readonly users: readonly WorldUser[];
  /** Users of the bot whose personal data was erased; one of them the bot does not know. */
  readonly erased: readonly number[];
  readonly events: readonly WorldEvent[];
  /** Chats that were uploaded, by segment. */
  readonly segments: ReadonlyMap<number, readonly number[]>;
  /** Recipients of broadcasts, by broadcast. */
  readonly tasks: ReadonlyMap<number, { readonly bot_id: number; readonly chats: readonly number[] }>;
}

/** Dates are ms UTC; null is missing. */
export interface WorldUser {
  readonly bot_id: number;
  readonly user_id: number;
  readonly full_name: string | null;
  readonly username: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly date_create: number;
  readonly date_last_active: number | null;
  readonly gender: string | null;
  readonly is_bot: boolean | null;
  readonly user_status: string;
  readonly is_premium: boolean | null;
  readonly language_code: string | null;
  readonly timezone: string | null;
  readonly custom_fields: Readonly<Record<string, string | number | boolean>>;
  readonly addition_fields: Readonly<Record<string, string>>;
  readonly referral: { readonly referrer_id: number; readonly code: string | null } | null;
}

/** Numbers are decimal text. */
export interface WorldEvent {
  readonly bot_id: number;
  readonly user_id: number;
  readonly event_id: number;
  readonly date: number;
  readonly value_int: string | null;
  readonly value_amount: string | null;
  readonly unit: string | null;
  readonly value_str: string | null;
  readonly category: string | null;
  readonly utm_source: string | null;
  readonly session_id: string;
  readonly app_session_id: string | null;
  readonly properties: Readonly<Record<string, string | number | boolean>> | null;
}

export const BOT_ID = 7;
const OTHER_BOT_ID = 8;
export const TABLES = {
  users: 'users_test',
  events: 'events_test',
  referral: 'referral_test',
  broadcasts: 'broadcasts_test',
  recipients: 'recipients_test',
};
export const AS_OF = Date.UTC(2025, 5, 11, 15, 30, 12, 345);
export const SEGMENTS = [11, 12];
export const TASKS = { own: 21, ofOtherBot: 22, empty: 23 };

/** Text that collations, UTF-16 and bytes order differently, and that patterns could take for more than text. */
export const TEXTS = [
  '',
  'A',
  'a',
  'ab',
  'aab',
  'B',
  'ä',
  'É',
  '%',
  'a_b',
  'a\\b',
  "o'x",
  'a\nb',
  '\ufffd',
  '\u{1f600}',
];
export const SOURCES = ['ads', 'Ads', 'ä'];
const DAY = 86_400_000;

/** 80 users of two bots and 250 events, many at the edges of days counted back. The same every time. */
export function sampleWorld(): World {
  const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 2 });
  const text = nullable(fc.constantFrom(...TEXTS));
  const date = fc
    .tuple(fc.integer({ min: -1, max: 9 }), fc.constantFrom(-1000, -1, 0, 0, 1, 655, 3_600_000))
    .map(([days, more]) => AS_OF - days * DAY + more);
  const decimal = nullable(fc.constantFrom('0', '0.1', '-0.3', '10', '99.99', '999999999999999.123456', '7'));
  const user = fc.record({
    full_name: text,
    username: text,
    first_name: text,
    last_name: text,
    date_create: date,
    date_last_active: nullable(date),
    gender: nullable(fc.constantFrom('f', 'm')),
    is_bot: nullable(fc.boolean()),
    user_status: fc.constantFrom('active', 'blocked', 'deactivated'),
    is_premium: nullable(fc.boolean()),
    language_code: nullable(fc.constantFrom('de', 'en')),
    timezone: nullable(fc.constantFrom('Europe/Berlin', 'UTC')),
    custom_fields: fc.dictionary(fc.constantFrom('level', "na'me"), fc.constantFrom('1', 1, 1.5, true, false, 'ä')),
    addition_fields: fc.dictionary(fc.constantFrom('utm_source', 'start_param'), fc.constantFrom(...TEXTS)),
    referral: nullable(fc.record({ referrer_id: fc.integer({ min: 1, max: 5 }), code: nullable(fc.constant('abc')) })),
  });
  const ids = [...Array.from({ length: 39 }, (_, index) => index + 1), Number.MAX_SAFE_INTEGER];
  const users = fc
    .sample(user, { numRuns: 2 * ids.length, seed: 3 })
    // Half of the other bot's users are users of this one.
    .map((fields, index) =>
      index < ids.length
        ? { ...fields, bot_id: BOT_ID, user_id: ids[index]! }
        : { ...fields, bot_id: OTHER_BOT_ID, user_id: 20 + index - ids.length },
    );
  const event = fc.record({
    bot_id: fc.constantFrom(BOT_ID, BOT_ID, BOT_ID, OTHER_BOT_ID),
    user_id: fc.integer({ min: 1, max: EVENT_USERS }),
    event_id: fc.constantFrom(1, 101, 102, 103),
    date,
    value_int: decimal,
    value_amount: decimal,
    unit: nullable(fc.constantFrom('EUR', 'XTR')),
    value_str: text,
    category: text,
    utm_source: nullable(fc.constantFrom(...SOURCES)),
    properties: nullable(
      fc.record(
        {
          command: fc.constantFrom(...TEXTS),
          plan: fc.constantFrom<string | number | boolean>(...TEXTS, '1', 1, 1.5, true),
        },
        { requiredKeys: [] },
      ),
    ),
  });
  return {
    users,
    erased: [3, 17, 1000],
    // Each event is a separate session; half of them are in a mini app.
    events: fc.sample(event, { numRuns: 250, seed: 4 }).map((fields, index) => {
      const session_id = `${commitId(index)}.0`;
      return { ...fields, session_id, app_session_id: index % 2 === 0 ? session_id : null };
    }),
    segments: new Map([
      [11, [-1001234567890, -5, 3, 4, 5, 1000]],
      [12, [4, 5, 6, 7, Number.MIN_SAFE_INTEGER]],
    ]),
    tasks: new Map([
      [TASKS.own, { bot_id: BOT_ID, chats: [-5, 1, 2, 3, 1000, 2000] }],
      [TASKS.ofOtherBot, { bot_id: OTHER_BOT_ID, chats: [-5, 2, 3, 25, 50, 1000] }],
      [TASKS.empty, { bot_id: BOT_ID, chats: [] }],
    ]),
  };
}

/** Creates the read models' tables and fills them. */
export async function storeWorld(pool: pg.Pool, { users, erased, events, segments, tasks }: World): Promise<void> {
  for (const [schema, model] of [
    [TABLES.users, usersReadModel],
    [TABLES.events, eventsReadModel],
    [TABLES.referral, referralReadModel],
    [TABLES.broadcasts, broadcastsReadModel],
    [TABLES.recipients, recipientsReadModel],
  ] as const)
    await inTransaction(pool, (tx) => createTables(tx, model, schema));
  const insert = (table: string, rows: readonly object[]) =>
    pool.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [
      JSON.stringify(rows),
    ]);
  await insert(
    `${TABLES.users}.users`,
    users.map(({ referral: _, ...user }) => user),
  );
  await insert(`${TABLES.users}.erased_users`, [
    ...erased.map((user_id) => ({ bot_id: BOT_ID, user_id })),
    { bot_id: OTHER_BOT_ID, user_id: 5 },
  ]);
  await insert(
    `${TABLES.referral}.referrals`,
    users.flatMap(({ referral, bot_id, user_id }) =>
      referral === null ? [] : [{ bot_id, user_id, ...referral, date: AS_OF, ord: 1 }],
    ),
  );
  const bots = [BOT_ID, OTHER_BOT_ID];
  await insert(
    `${TABLES.events}.utms`,
    bots.flatMap((bot_id) => SOURCES.map((source, index) => ({ bot_id, utm_id: index + 1, source }))),
  );
  await insert(
    `${TABLES.events}.bots`,
    bots.map((bot_id) => ({
      bot_id,
      public_key: publicKey(bot_id),
      owner_id: 1,
      pair_separator: '',
      value_separator: '',
      units: {},
      rules: {},
      clock: AS_OF,
      utm_count: SOURCES.length,
      user_count: EVENT_USERS,
      property_count: 0,
    })),
  );
  await insert(
    `${TABLES.events}.known_users`,
    bots.flatMap((bot_id) =>
      Array.from({ length: EVENT_USERS }, (_, idx) => ({ bot_id, user_id: userIdAt(idx), since: 0, idx })),
    ),
  );
  await insert(`${TABLES.events}.events`, eventRows(events));
  await insert(
    `${TABLES.broadcasts}.segment_chats`,
    [...segments].flatMap(([segment_id, chats]) => chats.map((chat_id) => ({ segment_id, chat_id, bot_id: BOT_ID }))),
  );
  await insert(
    `${TABLES.recipients}.sendings`,
    [...tasks].map(([broadcast_id, { bot_id, chats }]) => ({
      broadcast_id,
      bot_id,
      status: 3,
      launch: 1,
      count_recipients: chats.length,
      count_delivered: 0,
      count_not_delivered: 0,
      count_unknown: 0,
      cancelled: false,
    })),
  );
  await insert(
    `${TABLES.recipients}.recipients`,
    [...tasks].flatMap(([broadcast_id, { bot_id, chats }]) =>
      chats.map((chat_id, place) => ({ broadcast_id, bot_id, chat_id, place, state: 2 })),
    ),
  );
}

const commitId = (index: number): string => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;

/** Sessions of three events. */
export const SESSIONS = [0, 7, 100].map((index) => `${commitId(index)}.0`);

/** Only these users, from 1 on, have events; of the others the read model of events may know nothing. */
const EVENT_USERS = 30;
/** Indexes are in another order than ids. */
const userIdAt = (idx: number): number => EVENT_USERS - idx;

const eventRows = (events: readonly WorldEvent[]) =>
  events.map(({ utm_source, session_id: _, app_session_id, ...columns }, index) => ({
    ...columns,
    date_received: columns.date,
    ord: index,
    session: index,
    app_session: app_session_id === null ? null : index,
    user_idx: EVENT_USERS - columns.user_id,
    commit_id: commitId(index),
    idx: 0,
    utm_id: utm_source === null ? null : SOURCES.indexOf(utm_source) + 1,
  }));

/** How events are stored: no answer depends on it. */
export const STORAGES = ['in rows', 'packed, some changed since', 'packed'] as const;

/** Brings the events of {@link storeWorld} to the next of {@link STORAGES}. */
export async function storeEvents(pool: pg.Pool, storage: (typeof STORAGES)[number], { events }: World): Promise<void> {
  if (storage === 'in rows') return;
  const pack = async (changedInChunk: number): Promise<void> => {
    const limits = { chunk: 16, newest: 5, changed: 10_000, share: 1, changedInChunk };
    await inTransaction(pool, async (tx) => {
      await setSearchPath(tx, TABLES.events);
      await isCitus(tx); // `packSlice` uses what is known
      while (await packSlice(tx, limits));
    });
  };
  if (storage === 'packed') return pack(1);
  await pool.query(
    `UPDATE ${TABLES.events}.events SET category = 'later', value_int = 5, utm_id = 1 WHERE ord % 3 = 0`,
  );
  await pack(10_000);
  await pool.query(
    `UPDATE ${TABLES.events}.events AS e SET category = r.category, value_int = r.value_int, utm_id = r.utm_id
     FROM jsonb_populate_recordset(NULL::${TABLES.events}.events, $1) AS r
     WHERE e.bot_id = r.bot_id AND e.ord = r.ord AND e.ord % 3 = 0`,
    [JSON.stringify(eventRows(events))],
  );
}

const publicKey = (botId: number): string => `bot${botId}`;
