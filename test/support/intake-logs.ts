import fc from 'fast-check';
import type { UpdateItem } from '../../src/domain/intake/intake-events.ts';
import { SYSTEM_EVENTS } from '../../src/domain/intake/system-events.ts';
import type { LedgerEvent } from '../../src/domain/ledger-events.ts';
import type { ReadCommit } from '../../src/projections/read-model.ts';
import { botCreated, ownerCreated, readCommit } from './intake-commits.ts';

/** Random logs of two bots, for properties of read models. */

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const EPOCH = Date.UTC(2024, 0, 1);

/** One event of a partition of the log, `wait` ms after the partition's last one. */
export interface Step {
  readonly partition: 'bot-a' | 'bot-b' | 'owner-1' | 'owner-2' | 'fx-global';
  readonly wait: number;
  readonly stream?: string;
  readonly event: LedgerEvent;
}

const BOTS = ['a', 'b'] as const;
const OWNERS = [1, 2];

/** The beginning of every log. Bot a belongs to owner 1, b to owner 2. */
const prologue: readonly Step[] = [
  ...OWNERS.map(
    (owner): Step => ({ partition: `owner-${owner}` as Step['partition'], wait: 0, event: ownerCreated(owner, 'USD') }),
  ),
  ...BOTS.flatMap((key, i): Step[] => [
    { partition: `bot-${key}`, wait: 0, event: botCreated(i + 1, key, OWNERS[i]!) },
    {
      partition: `bot-${key}`,
      wait: 0,
      stream: `eventtypes-${key}`,
      event: { type: 'event_type_registered', data: { event_id: 101, name: 'Click' } },
    },
    {
      partition: `bot-${key}`,
      wait: 0,
      stream: `eventtypes-${key}`,
      event: { type: 'goal_created', data: { event_id: 102, target_id: 2, name: 'Order' } },
    },
  ]),
];

/** The commits of each partition, in its own order and by its own clock. */
export function partitionsOf(steps: readonly Step[]): Map<string, ReadCommit[]> {
  const partitions = new Map<string, { at: number; commits: ReadCommit[] }>();
  for (const { partition, wait, stream, event } of [...prologue, ...steps]) {
    const state = partitions.get(partition) ?? { at: EPOCH, commits: [] };
    partitions.set(partition, state);
    state.at += wait;
    state.commits.push(readCommit(stream ?? partition, state.commits.length + 1, state.at, [event]));
  }
  return new Map([...partitions].map(([partition, { commits }]) => [partition, commits]));
}

/** One interleaving of the partitions; `picks` chooses the partition of each next commit. */
export function interleaved(partitions: Map<string, ReadCommit[]>, picks: readonly number[]): ReadCommit[] {
  const left = [...partitions.values()].map((commits) => [...commits]);
  const all: ReadCommit[] = [];
  for (let i = 0; left.some((commits) => commits.length > 0); i++) {
    const open = left.filter((commits) => commits.length > 0);
    all.push(open[(picks[i % picks.length] ?? 0) % open.length]!.shift()!);
  }
  return all;
}

export function cut<T>(all: readonly T[], sizes: readonly number[]): T[][] {
  const batches: T[][] = [];
  for (let start = 0, i = 0; start < all.length; start += sizes[i++ % sizes.length]!)
    batches.push(all.slice(start, start + sizes[i % sizes.length]!));
  return batches;
}

const pick = fc.constantFrom;
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
/** Few enough dates to collide, with distances below and above the session gap; some are a day or more away. */
export const date = fc
  .tuple(fc.integer({ min: 0, max: 30 }), pick(0, 1, MINUTE), pick(0, 0, 0, -3 * DAY, DAY))
  .map(([steps, more, days]) => EPOCH + steps * 15 * MINUTE + more + days);
export const user_id = fc.integer({ min: 1, max: 4 });
const value = pick('0', '1', '-1050', '0.005', '123456789.123456789', '999999999999999');
const unit = pick('USD', 'EUR', 'JPY', 'XTR', 'TOK', 'NOP');
const text = pick('x', 'tab\tand\\and\nline', '\\N', 'ж');

const name = pick('Ada', 'Bob', '"', '__proto__');

const valued = fc.oneof(fc.constant({}), fc.record({ value }), fc.record({ value, unit }));
const keyed = fc.record({ event_key: maybe(pick('k1', 'k2', 'k3')) });
const properties = fc.dictionary(
  pick('plan', 'a.b-c_1', '7', 'constructor'),
  fc.oneof(text, pick('', '", "plan": 1', '7'), fc.boolean(), fc.record({ number: value })),
  { maxKeys: 3, noNullPrototype: true },
);
const customItem = fc
  .tuple(
    fc.record({
      event_id: fc.constant(101),
      user_id,
      date: maybe(date),
      value_str: maybe(text),
      category: maybe(text),
      webapp_name: maybe(pick('app', 'game')),
      properties: maybe(properties),
    }),
    valued,
    keyed,
  )
  .map(([item, worth, key]) => ({ ...item, ...worth, ...key }));
const targetItem = fc
  .tuple(
    fc.record({ event_id: pick(100, 102), user_id, date: maybe(date), properties: maybe(properties) }),
    fc.oneof(fc.constant({}), fc.record({ value, unit })),
    keyed,
  )
  .map(([item, worth, key]) => ({ ...item, ...worth, ...key }));
const charge_id = maybe(pick('c1', 'c2'));
const updateKind = fc.oneof(
  fc.record({
    event_id: fc.constant(SYSTEM_EVENTS.start),
    command: fc.constant('/start'),
    start_param: maybe(pick('source-ads', 'utm_source-b_medium-c', 'plain', 'medium.c,source.d')),
  }),
  fc.record({ event_id: fc.constant(SYSTEM_EVENTS.payment), value: pick('1', '1050'), unit, charge_id }),
  fc.record({ event_id: fc.constant(SYSTEM_EVENTS.refund), value: pick('-1', '-1050'), unit, charge_id }),
  fc.record({ event_id: fc.constant(SYSTEM_EVENTS.callback), callback_data: text }),
  fc.record({ event_id: pick(SYSTEM_EVENTS.message, SYSTEM_EVENTS.block) }),
  fc.constant({}),
);
const person = fc.record({ first_name: maybe(name), last_name: maybe(name), username: maybe(name) });
export const updateItem = fc
  .tuple(
    fc.record({
      person: maybe(person),
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
  .map(([item, kind]): UpdateItem => ({ ...item, ...kind }));

export const importedUser = fc.record({
  user_id,
  person: maybe(fc.record({ first_name: maybe(name), last_name: maybe(name), full_name: maybe(name) })),
  date_create: maybe(date),
  date_last_active: maybe(date),
  gender: maybe(name),
  user_status: maybe(pick('active' as const, 'blocked' as const, 'deactivated' as const)),
  custom_fields: maybe(fc.dictionary(name, fc.oneof(name, fc.boolean(), fc.record({ number: value })), { maxKeys: 2 })),
});

const importedEvent = fc
  .tuple(
    fc.record({
      event_id: fc.constant(101),
      user_id,
      date,
      value_str: maybe(text),
      category: maybe(text),
      properties: maybe(properties),
    }),
    valued,
    keyed,
  )
  .map(([item, worth, key]) => ({ ...item, ...worth, ...key }));

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
    arbitrary: items(importedUser).map((items) => ({ type: 'users_imported' as const, data: { items } })),
  },
  {
    weight: 1,
    arbitrary: items(importedEvent).map((items) => ({
      type: 'events_imported' as const,
      data: { items, line: items.length, refused: 0, finished: false },
    })),
  },
);
/** Most receipts are close together; some are out of order, some after the end of a time limit. */
const wait = fc.oneof(
  { weight: 20, arbitrary: pick(0, 1, MINUTE, HOUR) },
  { weight: 3, arbitrary: pick(-MINUTE, -2 * HOUR, 23 * HOUR, 25 * HOUR) },
  { weight: 1, arbitrary: pick(8 * DAY, 91 * DAY) },
);
const currency = pick('USD', 'EUR', 'JPY');
const bot = pick(...BOTS);
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ partition: bot, wait, event: intake }).map(({ partition, wait, event }) => ({
      partition: `bot-${partition}` as const,
      stream: event.type === 'events_imported' ? `import-${partition}/file` : `intake-${partition}`,
      wait,
      event,
    })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ partition: bot, wait, pair: pick('_', ','), value: pick('-', '.') })
      .map(({ partition, wait, pair, value }) => ({
        partition: `bot-${partition}` as const,
        wait,
        event: { type: 'bot_changed' as const, data: { pair_separator: pair, value_separator: value } },
      })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ partition: bot, wait, code: pick('plain', 'source-ads') })
      .map(({ partition, wait, code }) => ({
        partition: `bot-${partition}` as const,
        stream: `referral-${partition}`,
        wait,
        event: { type: 'referral_code_created' as const, data: { code, user_id: 1 } },
      })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ partition: bot, wait, code: pick('TOK', 'EUR', 'NOP'), scale: pick(0, 3) })
      .map(({ partition, wait, code, scale }) => ({
        partition: `bot-${partition}` as const,
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
        partition: 'fx-global' as const,
        wait,
        event: { type: 'exchange_rate_set' as const, data },
      })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ owner: pick(...OWNERS), wait, currency: maybe(currency) })
      .map(({ owner, wait, currency }) => ({
        partition: `owner-${owner}` as Step['partition'],
        wait,
        event: { type: 'owner_changed' as const, data: currency === undefined ? { name: 'N' } : { currency } },
      })),
  },
);
