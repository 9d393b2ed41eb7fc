import fc from 'fast-check';
import type { ClientBase } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerEvent } from '../../src/domain/events.ts';
import { SYSTEM_EVENTS } from '../../src/domain/intake/system-events.ts';
import { eventsReadModel } from '../../src/projections/events/read-model.ts';
import { type ReadCommit, schemaOf } from '../../src/projections/read-model.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { botCreated, ownerCreated, readCommit } from '../support/intake-commits.ts';
import { foldIntake, type Picture } from '../support/intake-fold.ts';
import { pictureOf, sorted } from '../support/intake-picture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const EPOCH = Date.UTC(2024, 0, 1);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  const schema = schemaOf(eventsReadModel);
  await database.pool.query(`CREATE SCHEMA ${schema}; SET search_path TO ${schema}; ${eventsReadModel.ddl}`);
});
afterAll(() => database.drop());

/** The picture after these batches, in a transaction that leaves nothing. */
async function project(batches: readonly (readonly ReadCommit[])[]): Promise<Picture> {
  const tx = await database.pool.connect();
  try {
    await tx.query('BEGIN');
    await tx.query(`SET LOCAL search_path TO ${schemaOf(eventsReadModel)}`);
    for (const batch of batches) await eventsReadModel.apply(tx, batch);
    await checkMemories(tx);
    return await pictureOf(tx);
  } finally {
    await tx.query('ROLLBACK');
    tx.release();
  }
}

/** What must hold of any state, whatever led to it. */
async function checkMemories(tx: ClientBase): Promise<void> {
  const { rows } = await tx.query(`
    SELECT (SELECT count(*) FROM pending_events p JOIN known_users USING (bot_id, user_id) JOIN bots b USING (bot_id)
             WHERE p.received >= b.clock - ${DAY})::int AS waits_for_known,
           (SELECT count(*) FROM pending_events p JOIN bots b USING (bot_id)
             WHERE p.received < b.clock - ${DAY + HOUR})::int AS waits_too_long,
           (SELECT count(*) FROM update_ids u JOIN bots b USING (bot_id)
             WHERE u.received < b.clock - ${7 * DAY + HOUR})::int AS remembered_too_long`);
  expect(rows).toEqual([{ waits_for_known: 0, waits_too_long: 0, remembered_too_long: 0 }]);
}

/** One thing that happens in a lane of the log, some time after the last of the lane. */
interface Step {
  readonly lane: 'bot-a' | 'bot-b' | 'owner-1' | 'owner-2' | 'fx-global';
  readonly wait: number;
  readonly stream?: string;
  readonly event: LedgerEvent;
}

const BOTS = ['a', 'b'] as const;
const OWNERS = [1, 2];

/** What every log of the tests begins with. Bot a belongs to owner 1, b to owner 2. */
const prologue: readonly Step[] = [
  ...OWNERS.map(
    (owner): Step => ({ lane: `owner-${owner}` as Step['lane'], wait: 0, event: ownerCreated(owner, 'USD') }),
  ),
  ...BOTS.flatMap((key, i): Step[] => [
    { lane: `bot-${key}`, wait: 0, event: botCreated(i + 1, key, OWNERS[i]!) },
    {
      lane: `bot-${key}`,
      wait: 0,
      stream: `eventtypes-${key}`,
      event: { type: 'event_type_registered', data: { event_id: 101, name: 'Click' } },
    },
    {
      lane: `bot-${key}`,
      wait: 0,
      stream: `eventtypes-${key}`,
      event: { type: 'goal_created', data: { event_id: 102, target_id: 2, name: 'Order' } },
    },
  ]),
];

/** The lanes' commits, each in its own order and by its own clock. */
function lanesOf(steps: readonly Step[]): Map<string, ReadCommit[]> {
  const lanes = new Map<string, { at: number; commits: ReadCommit[] }>();
  for (const { lane, wait, stream, event } of [...prologue, ...steps]) {
    const state = lanes.get(lane) ?? { at: EPOCH, commits: [] };
    lanes.set(lane, state);
    state.at += wait;
    state.commits.push(readCommit(stream ?? lane, state.commits.length + 1, state.at, [event]));
  }
  return new Map([...lanes].map(([lane, { commits }]) => [lane, commits]));
}

/** One order of all commits that keeps each lane's own; `picks` chooses the lane of the next. */
function interleaved(lanes: Map<string, ReadCommit[]>, picks: readonly number[]): ReadCommit[] {
  const left = [...lanes.values()].map((commits) => [...commits]);
  const all: ReadCommit[] = [];
  for (let i = 0; left.some((commits) => commits.length > 0); i++) {
    const open = left.filter((commits) => commits.length > 0);
    all.push(open[(picks[i % picks.length] ?? 0) % open.length]!.shift()!);
  }
  return all;
}

function cut<T>(all: readonly T[], sizes: readonly number[]): T[][] {
  const batches: T[][] = [];
  for (let start = 0, i = 0; start < all.length; start += sizes[i++ % sizes.length]!)
    batches.push(all.slice(start, start + sizes[i % sizes.length]!));
  return batches;
}

const pick = fc.constantFrom;
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
/** Few enough to collide, with steps on both sides of the session's gap; some a day or more away. */
const date = fc
  .tuple(fc.integer({ min: 0, max: 30 }), pick(0, 1, MINUTE), pick(0, 0, 0, -3 * DAY, DAY))
  .map(([steps, more, days]) => EPOCH + steps * 15 * MINUTE + more + days);
const user_id = fc.integer({ min: 1, max: 4 });
const value = pick('0', '1', '-1050', '0.005', '123456789.123456789', '999999999999999');
const unit = pick('USD', 'EUR', 'JPY', 'XTR', 'TOK', 'NOP');
const text = pick('x', 'tab\tand\\and\nline', '\\N', 'ж');

const valued = fc.oneof(fc.constant({}), fc.record({ value }), fc.record({ value, unit }));
const keyed = fc.record({ event_key: maybe(pick('k1', 'k2', 'k3')) });
const customItem = fc
  .tuple(
    fc.record({
      event_id: fc.constant(101),
      user_id,
      date: maybe(date),
      value_str: maybe(text),
      category: maybe(text),
      webapp_name: maybe(pick('app', 'game')),
    }),
    valued,
    keyed,
  )
  .map(([item, worth, key]) => ({ ...item, ...worth, ...key }));
const targetItem = fc
  .tuple(
    fc.record({ event_id: pick(100, 102), user_id, date: maybe(date) }),
    fc.oneof(fc.constant({}), fc.record({ value, unit })),
    keyed,
  )
  .map(([item, worth, key]) => ({ ...item, ...worth, ...key }));
const updateKind = fc.oneof(
  fc.record({
    event_id: fc.constant(SYSTEM_EVENTS.start),
    command: fc.constant('/start'),
    start_param: maybe(pick('source-ads', 'utm_source-b_medium-c', 'plain', 'medium.c,source.d')),
  }),
  fc.record({ event_id: fc.constant(SYSTEM_EVENTS.payment), value: pick('1', '1050'), unit }),
  fc.record({ event_id: fc.constant(SYSTEM_EVENTS.callback), callback_data: text }),
  fc.record({ event_id: pick(SYSTEM_EVENTS.message, SYSTEM_EVENTS.block) }),
  fc.constant({}),
);
const updateItem = fc
  .tuple(
    fc.record({
      update_id: fc.integer({ min: 1, max: 40 }),
      user_id,
      date: maybe(date),
      makes_user: fc.boolean(),
      is_bot: fc.constant(false),
      is_premium: fc.boolean(),
      chat_type: pick('private' as const, 'group' as const, undefined),
    }),
    updateKind,
  )
  .map(([item, kind]) => ({ ...item, ...kind }));

const items = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 3 });
const intake: fc.Arbitrary<LedgerEvent> = fc.oneof(
  {
    weight: 4,
    arbitrary: items(customItem).map((items) => ({ type: 'custom_events_received' as const, data: { items } })),
  },
  {
    weight: 2,
    arbitrary: items(targetItem).map((items) => ({ type: 'target_events_received' as const, data: { items } })),
  },
  { weight: 4, arbitrary: items(updateItem).map((items) => ({ type: 'updates_received' as const, data: { items } })) },
  {
    weight: 1,
    arbitrary: items(fc.record({ user_id })).map((items) => ({ type: 'users_imported' as const, data: { items } })),
  },
);
/** Receipts mostly follow closely; some come out of order, some after what is remembered has run out. */
const wait = fc.oneof(
  { weight: 20, arbitrary: pick(0, 1, MINUTE, HOUR) },
  { weight: 3, arbitrary: pick(-MINUTE, -2 * HOUR, 23 * HOUR, 25 * HOUR) },
  { weight: 1, arbitrary: pick(8 * DAY, 91 * DAY) },
);
const currency = pick('USD', 'EUR', 'JPY');
const bot = pick(...BOTS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .record({ lane: bot, wait, event: intake })
      .map(({ lane, wait, event }) => ({ lane: `bot-${lane}` as const, stream: `intake-${lane}`, wait, event })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ lane: bot, wait, pair: pick('_', ','), value: pick('-', '.') })
      .map(({ lane, wait, pair, value }) => ({
        lane: `bot-${lane}` as const,
        wait,
        event: { type: 'bot_changed' as const, data: { pair_separator: pair, value_separator: value } },
      })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ lane: bot, wait, code: pick('TOK', 'EUR'), scale: pick(0, 3) })
      .map(({ lane, wait, code, scale }) => ({
        lane: `bot-${lane}` as const,
        wait,
        event: { type: 'unit_created' as const, data: { unit_id: 1, code, name: null, scale } },
      })),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({
        wait,
        from: unit,
        to: currency,
        rate: pick('1.1', '0.0000005', '3'),
        date: pick('2023-12-01', '2023-12-31', '2024-01-01', '2024-01-02'),
      })
      .map(({ wait, ...data }) => ({
        lane: 'fx-global' as const,
        wait,
        event: { type: 'exchange_rate_set' as const, data },
      })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ owner: pick(...OWNERS), wait, currency: maybe(currency) })
      .map(({ owner, wait, currency }) => ({
        lane: `owner-${owner}` as Step['lane'],
        wait,
        event: { type: 'owner_changed' as const, data: currency === undefined ? { name: 'N' } : { currency } },
      })),
  },
);

describe('the read model `events`', () => {
  it('holds what a plain fold of the log gives, however lanes meet and batches are cut', async () => {
    const log = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' });
    const picks = fc.array(fc.nat(9), { minLength: 1, maxLength: 60, size: 'max' });
    const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(log, picks, sizes, async (steps, picks, sizes) => {
        const lanes = lanesOf(steps);
        const expected = sorted(foldIntake([...lanes.values()].flat()));
        expect(sorted(await project(cut(interleaved(lanes, picks), sizes)))).toEqual(expected);
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 150) },
    );
  });
});
