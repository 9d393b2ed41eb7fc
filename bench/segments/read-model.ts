import type { ClientBase } from 'pg';
import { ERROR_MEMORY_MS, LATE_USER_MS } from '../../src/domain/intake/intake-fold.ts';
import { findByKey, numbers } from '../../src/projections/batch-sql.ts';
import type { Bot, Outcome, User } from '../../src/projections/events/batch.ts';
import { writePropertyErrors, writeUnknownUsers } from '../../src/projections/events/bot-error-rows.ts';
import { writeCharges, writeRefundedPayments } from '../../src/projections/events/charges.ts';
import { byMoment, type EventDraft } from '../../src/projections/events/draft.ts';
import { saveBots } from '../../src/projections/events/event-bots.ts';
import { foldBatch } from '../../src/projections/events/events-fold.ts';
import { loadBatch, type TailCache } from '../../src/projections/events/events-load.ts';
import { countEvents, writeEventTypes, writeIntakeState } from '../../src/projections/events/events-write.ts';
import { eventsManifest } from '../../src/projections/events/manifest.ts';
import { storeMoney } from '../../src/projections/events/money.ts';
import { PACKED_TABLES } from '../../src/projections/events/packed/packed-tables.ts';
import { writePropertyNames } from '../../src/projections/events/property-rows.ts';
import { writeRewardable } from '../../src/projections/events/rewards.ts';
import { identifyUtms } from '../../src/projections/events/utm-rows.ts';
import { deleteExpired, UPDATE_IDS_RETENTION } from '../../src/projections/intake-state.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import { FACTS, type Fact } from './segment.ts';
import { Frontier } from './sessions.ts';
import { addSegment, countFresh, loadFrontier, mergeSlice, SEGMENTS_DDL } from './store.ts';

/**
 * The read model `events` with segments instead of rows. The fold and its small tables are today's. Left out: warnings of units
 * and rates, sessions of mini apps, refusals, Citus.
 */
export const eventsReadModel: ReadModel = {
  ...eventsManifest,
  events: [
    ...['bot_created', 'bot_changed', 'unit_created', 'event_type_registered', 'goal_created', 'reward_rule_created'],
    ...['reward_rule_changed', 'referral_code_created', 'referral_code_owners_set', 'referral_marked'],
    ...['custom_events_received', 'target_events_received', 'updates_received', 'users_imported', 'events_imported'],
    ...['referrals_imported', 'owner_created', 'owner_changed', 'exchange_rate_set'],
  ] as ReadModel['events'],
  ddl: SEGMENTS_DDL,
  async apply(tx, commits) {
    await tx.query(`SELECT pg_advisory_xact_lock_shared(hashtextextended(current_schema() || ' is written', 0))`);
    await findByKey(tx);
    const money = await storeMoney(tx, commits);
    const bots = await loadBatch(tx, commits, memory);
    const outcome = foldBatch(bots, commits);
    if (money.rates.length + money.owners.length + outcome.newUnits.length > 0)
      await tx.query('UPDATE money_changes SET n = n + 1');
    if (bots.size > 0) await write(tx, outcome);
  },
  derived: [...PACKED_TABLES, 'segments'],
  async idle(tx, behind) {
    await findByKey(tx);
    return mergeSlice(tx, behind, (bot) => bots.get(bot)?.frontier);
  },
};

interface Visit {
  readonly date: number;
  readonly ord: number;
  readonly utm_id: number;
}

/** The state of a bot that is remembered between batches; valid while no other projector writes the bot (`TailCache`). */
interface Remembered {
  writer: string | null;
  frontier: Frontier;
  isLoaded: boolean;
  readonly users: Map<number, { readonly idx: number; visits: Visit[] | null }>;
}

const bots = new Map<number, Remembered>();
/** Users of a bot that are remembered. */
const MOST_USERS = 200_000;

function rememberedOf({ bot_id, writer }: Bot): Remembered {
  let found = bots.get(bot_id);
  if (found !== undefined && (found.writer === writer || found.isLoaded === false)) return found;
  found = { writer, frontier: new Frontier(), isLoaded: false, users: new Map() };
  bots.set(bot_id, found);
  return found;
}

const memory: TailCache = {
  check(bot) {
    const found = rememberedOf(bot);
    if (found.users.size > MOST_USERS) found.users.clear();
  },
  get(bot, userId) {
    const user = bots.get(bot.bot_id)?.users.get(userId);
    return user && { date: 0, ord: 0, session: 0, utm_id: null, user_idx: user.idx };
  },
  set() {},
  delete() {},
  recordWriter() {},
};

async function write(tx: ClientBase, outcome: Outcome): Promise<void> {
  const all = [...outcome.bots.values()];
  await writeEventTypes(tx, outcome.eventTypes);
  await identifyUtms(tx, all);
  const writer = await saveBots(tx, all);
  const events: EventDraft[] = [];
  for (const bot of all) {
    const found = rememberedOf(bot);
    if (!found.isLoaded) await loadFrontier(tx, bot.bot_id, found.frontier);
    found.isLoaded = true;
    const users = [...bot.users.values()].filter((user) => user.events.length > 0);
    await loadVisits(tx, bot, found, users);
    const placed: EventDraft[] = [];
    for (const user of users) placed.push(...placedEvents(user, found));
    if (placed.length > 0) {
      await addSegment(tx, bot.bot_id, placed.map(factOf));
      await countFresh(tx, bot.bot_id, placed.length);
    }
    events.push(...placed);
    found.frontier.prune(MOST_USERS);
    found.writer = writer;
  }
  await writeIntakeState(tx, outcome);
  await countEvents(tx, events);
  await writePropertyNames(tx, all, events);
  await writeUnknownUsers(tx, outcome);
  await writePropertyErrors(tx, outcome.propertyErrors);
  await writeRewardable(tx, outcome.rewardable);
  await writeCharges(tx, all);
  await writeRefundedPayments(tx, outcome.refundedPayments);
  await deleteExpired(
    tx,
    all.map(({ intake }) => intake),
    [
      UPDATE_IDS_RETENTION,
      { table: 'pending_events', column: 'received', ms: LATE_USER_MS },
      { table: 'bot_errors', column: 'date', ms: ERROR_MEMORY_MS },
    ],
  );
}

function placedEvents({ events, idx, user_id }: User, { frontier, users }: Remembered): EventDraft[] {
  if (events.length > 1) events.sort(byMoment);
  const visits = users.get(user_id)!.visits!;
  let next = 0;
  let utm: number | null = null;
  for (const event of events) {
    event.user_idx = idx;
    event.session = frontier.place(idx, event.date, event.ord);
    for (; next < visits.length && visits[next]!.date <= event.date; next++) utm = visits[next]!.utm_id;
    event.utm_id = utm;
  }
  return events;
}

/** Remembers all visits with UTM of the users, with the visits of the batch. An event's UTM is a function of them. */
async function loadVisits(tx: ClientBase, bot: Bot, found: Remembered, users: readonly User[]): Promise<void> {
  const unknown = users.filter(({ user_id, idx }) => {
    if (!found.users.has(user_id)) found.users.set(user_id, { idx, visits: null });
    return found.users.get(user_id)!.visits === null;
  });
  for (const { user_id } of unknown) found.users.get(user_id)!.visits = [];
  if (unknown.length > 0) {
    const { rows } = await tx.query<[number, number, number, number]>({
      name: 'segments.load_visits',
      text: `SELECT user_id::float8, date::float8, ord::float8, utm_id FROM visits
              WHERE bot_id = $1 AND user_id = ANY ($2::bigint[]) AND utm_id IS NOT NULL ORDER BY date, ord`,
      values: [bot.bot_id, numbers(unknown.map(({ user_id }) => user_id))],
      rowMode: 'array',
    });
    for (const [user, date, ord, utm_id] of rows) found.users.get(user)!.visits!.push({ date, ord, utm_id });
  }
  for (const { user_id, visits } of users)
    for (const { date, ord, utm } of visits)
      if (utm !== null) {
        const known = found.users.get(user_id)!;
        known.visits!.push({ date, ord, utm_id: utm.id });
        known.visits!.sort(byMoment);
      }
}

function factOf(event: EventDraft): Fact {
  const sent = event.source === 'send-target' ? (event.value_norm ?? event.value_int) : event.value_int;
  const fact: Fact = FACTS.map((name) =>
    name === 'value_int' ? sent : (event[name as keyof EventDraft] as string | number | null),
  );
  fact.push(event.properties, event.commit_id);
  return fact;
}

/** There is no archive: chunks are all there is of old events. */
export const withArchive = (model: ReadModel): ReadModel => model;
