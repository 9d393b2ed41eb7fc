import type { ClientBase } from 'pg';
import { CODE_EVENTS, ERROR_MEMORY_MS, LATE_USER_MS } from '../../domain/intake/intake-fold.ts';
import { categoryOf } from '../../log/stream-name.ts';
import { findByKey } from '../batch-sql.ts';
import { deleteExpired, type Retention, UPDATE_IDS_RETENTION } from '../intake-state.ts';
import type { ReadModel } from '../read-model.ts';
import type { Outcome, Tail, User } from './batch.ts';
import { writePropertyErrors, writeUnknownUsers } from './bot-error-rows.ts';
import { writeCharges, writeRefundedPayments } from './charges.ts';
import { byMoment } from './draft.ts';
import { convertAmounts, priceEvents } from './event-amounts.ts';
import { saveBots } from './event-bots.ts';
import { foldBatch } from './events-fold.ts';
import { loadBatch, tailCache } from './events-load.ts';
import { countEvents, writeEvents, writeEventTypes, writeIntakeState } from './events-write.ts';
import { eventsManifest } from './manifest.ts';
import { storeMoney } from './money.ts';
import { archiveSlice } from './packed/archive-slice.ts';
import { allEvents } from './packed/archived-rows.ts';
import type { PackLimits } from './packed/due.ts';
import { forgetPacked } from './packed/forget-packed.ts';
import { packSlice } from './packed/pack.ts';
import { PACKED_TABLES } from './packed/packed-tables.ts';
import { writePropertyNames } from './property-rows.ts';
import { restoreLate } from './restore-late.ts';
import { hasRevaluations, recordRevaluations, revalueSlice } from './revaluations.ts';
import { writeRefusals, writeRewardable } from './rewards.ts';
import { placeAppSessions, placeSessions } from './sessions.ts';
import { EVENTS_DDL, EVENTS_PLACEMENT } from './tables.ts';
import { identifyUtms, isLate, placeUtms } from './utm-rows.ts';

/**
 * Events with their sessions, UTM and amounts, the types of events, and bot errors. They are one read model: one
 * transaction writes whether an item counts, waits for its user or is an error
 * ([ADR 17](../../../docs/adr/0017-events-types-and-bot-errors-are-one-read-model.md)).
 */
export const eventsReadModel: ReadModel = {
  ...eventsManifest,
  isolatesBots: true,
  events: [
    'bot_created',
    'bot_changed',
    'unit_created',
    'event_type_registered',
    'goal_created',
    'reward_rule_created',
    'reward_rule_changed',
    'reward_refused',
    ...CODE_EVENTS,
    'custom_events_received',
    'target_events_received',
    'updates_received',
    'users_imported',
    'events_imported',
    'referrals_imported',
    'owner_created',
    'owner_changed',
    'exchange_rate_set',
  ],
  ddl: EVENTS_DDL,
  placement: EVENTS_PLACEMENT,
  async apply(tx, commits) {
    await lockTables(tx, commits.some(({ stream }) => MONEY.includes(categoryOf(stream))) ? 'alone' : 'shared');
    await findByKey(tx);
    const money = await storeMoney(tx, commits);
    const bots = await loadBatch(tx, commits, tails);
    const outcome = foldBatch(bots, commits);
    if (bots.size > 0) await write(tx, outcome);
    await recordRevaluations(tx, money, outcome.newUnits);
  },
  derived: PACKED_TABLES,
  whole: { events: allEvents },
  async forget(tx, bots) {
    await lockTables(tx, 'alone'); // no slice of deferred work in between
    await forgetPacked(tx, bots);
  },
  async idle(tx, behind) {
    const revalues = await hasRevaluations(tx);
    await lockTables(tx, revalues ? 'alone' : 'shared');
    await findByKey(tx);
    return workSlice(tx, behind, revalues);
  },
};

/** Returns `model`, a form of the read model `events`, with an `idle` that also archives events older than `months`. */
export function withArchive(model: ReadModel, months: number, limits?: PackLimits): ReadModel {
  return {
    ...model,
    deferredRelation: `put_off_or_old(${months})`,
    async idle(tx, behind) {
      // Archiving reads all bots, also the bots of other projectors.
      await lockTables(tx, 'alone');
      await findByKey(tx);
      if (await workSlice(tx, behind, true, limits)) return true;
      return !behind && (await archiveSlice(tx, months, limits));
    },
  };
}

/** A slice of the work that comes before archiving: it may change old events. */
async function workSlice(tx: ClientBase, behind: boolean, revalues: boolean, limits?: PackLimits): Promise<boolean> {
  const toRevalue = revalues && (await revalueSlice(tx));
  // Packing waits until the version has all events. So it packs each chunk once, even if dates in the log are unordered.
  const toPack = !behind && (await packSlice(tx, limits));
  return toRevalue || toPack;
}

/** Categories whose events change amounts of bots in other partitions. */
const MONEY: readonly string[] = ['owner', 'fx'];

/**
 * Projectors of different partitions write these tables at the same time, each projector its own bots: `shared`. A
 * transaction with rates, currencies or revaluations changes bots of all partitions, so it runs `alone`. Otherwise a rate
 * would miss uncommitted events of another partition, and those events would miss the rate.
 */
async function lockTables(tx: ClientBase, how: 'alone' | 'shared'): Promise<void> {
  const lock = how === 'alone' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  await tx.query(`SELECT ${lock}(hashtextextended(current_schema() || ' is written', 0))`);
}

const tails = tailCache();

const RETENTIONS: readonly Retention[] = [
  UPDATE_IDS_RETENTION,
  { table: 'pending_events', column: 'received', ms: LATE_USER_MS },
  { table: 'bot_errors', column: 'date', ms: ERROR_MEMORY_MS },
];

async function write(tx: ClientBase, outcome: Outcome): Promise<void> {
  const bots = [...outcome.bots.values()];
  await writeEventTypes(tx, outcome.eventTypes);
  await identifyUtms(tx, bots);
  const writer = await saveBots(tx, bots);

  // Sort by the key, so that neighbours in the index are written together. This saves a sixth of the writing time.
  const users = bots.flatMap(({ users }) =>
    [...users.values()].filter(({ events }) => events.length > 0).sort((a, b) => a.user_id - b.user_id),
  );
  for (const { events, idx } of users) {
    for (const event of events) event.user_idx = idx;
    if (events.length > 1) events.sort(byMoment);
  }
  await restoreLate(tx, users);
  await placeSessions(tx, users);
  await placeAppSessions(tx, users);
  await placeUtms(tx, users);
  const events = users.flatMap((user) => user.events);
  const owners = new Map(bots.map(({ bot_id, owner_id }) => [bot_id, owner_id]));
  const unpriced = await priceEvents(tx, events, ({ bot_id }) => owners.get(bot_id)!);

  await writeEvents(tx, events);
  await writeIntakeState(tx, outcome);
  await countEvents(tx, events);
  await writePropertyNames(tx, bots, events);
  await writeUnknownUsers(tx, outcome);
  await writePropertyErrors(tx, outcome.propertyErrors);
  await convertAmounts(tx, unpriced);
  await writeRewardable(tx, outcome.rewardable);
  await writeCharges(tx, bots);
  await writeRefundedPayments(tx, outcome.refundedPayments);
  await writeRefusals(tx, outcome.refusals);
  await deleteExpired(
    tx,
    bots.map(({ intake }) => intake),
    RETENTIONS,
  );
  for (const bot of bots) tails.recordWriter(bot, writer);
  for (const user of users)
    if (isLate(user)) tails.delete(user);
    else tails.set(user, tailOf(user));
}

function tailOf({ events }: User): Tail {
  const { date, ord, session, utm_id, user_idx } = events.at(-1)!;
  return { date, ord, session, utm_id, user_idx };
}
