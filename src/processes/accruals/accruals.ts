import PQueue from 'p-queue';
import type { Accounts } from '../../commands/referral/accounts.ts';
import { accrueRewards } from '../../commands/referral/accruals.ts';
import { type Cursor, hasPassedAll, type Position } from '../../log/port.ts';
import { catalogReadModel } from '../../projections/catalog/read-model.ts';
import { eventsReadModel } from '../../projections/events/read-model.ts';
import { referralReadModel } from '../../projections/referral/read-model.ts';
import { deadLetteredIn } from '../../projections/runtime/dead-letters.ts';
import { servedProgress, waitForReadModels } from '../../projections/runtime/wait-for-read-models.ts';
import {
  type EarningRow,
  type EarningsSource,
  earningsOf,
  endOfPage,
  type Stretch,
} from '../../queries/referral/earnings.ts';
import type { Process, ProcessContext } from '../process.ts';
import { createRest } from '../rest.ts';
import { type Places, settled, takeIn } from './places.ts';
import { rewardItem } from './reward-item.ts';

/** How soon a reward follows its event, beside what the read models take; once all is decided on, the log's growth wakes it. */
const LOOK_MS = 150;
/** How often it is looked whether to stop while the catalog is behind. */
const CATALOG_MS = 500;
/** Events of one page, whose rows are in memory at once. */
const PAGE = 2000;
/** Accounts that are decided on side by side: their appends share transactions of the log. */
const ACCOUNTS_AT_ONCE = 32;
/** In one append: some 400 bytes each, of the 1 MiB that an EventStoreDB takes. */
const ITEMS_AT_ONCE = 500;

/**
 * Rewards referrers for what their referrals do (decisions.md#reward-rules). It walks the events that rules name, in
 * the order in which they came to count, behind the read models, and hands them to the accounts, which know what they
 * have decided on: walking the same events again, or at the same time as another instance, changes nothing.
 */
export const accruals: Process = { name: 'accruals', alone: true, run };

async function run(context: ProcessContext, signal: AbortSignal): Promise<void> {
  const places: Places = { reached: new Map(await context.reached()), waiting: new Map() };
  const { reached, waiting } = places;
  const pausing = createRest(context);
  while (!signal.aborted) {
    pausing.begin();
    const head = await context.log.endCursor();
    const isIdle = hasPassedAll(reached, head) && waiting.size === 0;
    const found = isIdle ? null : await look(context, head, signal);
    if (found !== null) {
      takeIn(places, found.deadLettered);
      context.note(settled(places));
      for (const [partition, to] of found.upTo) {
        const stretch = { partition, after: reached.get(partition) ?? '', to };
        const done = await walk(context.accounts, found.source, stretch, signal, (position) => {
          reached.set(partition, position);
          context.note(settled(places));
        });
        if (!done) return;
      }
    }
    await pausing.rest(LOOK_MS, waiting.size === 0 ? [reached] : null, signal);
  }
}

interface Found {
  readonly source: EarningsSource;
  /** By partition: behind it all is known of events and referrals that is to be known. */
  readonly upTo: ReadonlyMap<number, Position>;
  /** What these read models have set aside. */
  readonly deadLettered: ReadonlyMap<string, Position>;
}

/**
 * How far there is something to decide on; null: not yet. Rates and units come from the catalog, which must have whatever
 * was in the log before, up to `head`: else an event would be refused for a rate that is only late.
 */
async function look({ pool, served }: ProcessContext, head: Cursor, signal: AbortSignal): Promise<Found | null> {
  while (!(await waitForReadModels([servedProgress(pool, catalogReadModel)], head, { timeoutMs: CATALOG_MS })))
    if (signal.aborted) return null;
  const [events, referral, catalog] = await Promise.all(
    [eventsReadModel, referralReadModel, catalogReadModel].map(served),
  );
  if (!events || !referral || !catalog) return null;
  const upTo = new Map<number, Position>();
  for (const [partition, end] of head) {
    const [passed, known] = [events.passed.get(partition), referral.passed.get(partition)];
    if (passed === undefined || known === undefined) continue;
    upTo.set(partition, [end, passed, known].sort()[0]!);
  }
  const source = { pool, events: events.schema, referral: referral.schema, catalog: catalog.schema };
  // Asked for after how far they are: what they have passed and do not have is there.
  const deadLettered = await deadLetteredIn(pool, [events.schema, referral.schema]);
  return { source, upTo, deadLettered };
}

/** Walks part of a partition, page by page. @returns false: the signal aborted before the end */
async function walk(
  accounts: Accounts,
  source: EarningsSource,
  { partition, after: from, to }: Stretch,
  signal: AbortSignal,
  passed: (position: Position) => void,
): Promise<boolean> {
  for (let after = from; after < to; ) {
    if (signal.aborted) return false;
    const last = await endOfPage(source, { partition, after, to }, PAGE);
    if (last !== null) {
      const rows = await earningsOf(source, { partition, after, to: last });
      if (!(await accrue(accounts, rows, signal))) return false;
    }
    after = last ?? to;
    passed(after);
  }
  return true;
}

/** @returns false: the signal aborted before all was done */
async function accrue(accounts: Accounts, rows: readonly EarningRow[], signal: AbortSignal): Promise<boolean> {
  const queue = new PQueue({ concurrency: ACCOUNTS_AT_ONCE });
  const work = [...byAccount(rows)].map(([, ofAccount]) =>
    queue.add(async () => {
      const { bot, referrer_id: referrer } = ofAccount[0]!;
      for (let at = 0; at < ofAccount.length && !signal.aborted; at += ITEMS_AT_ONCE) {
        const items = ofAccount.slice(at, at + ITEMS_AT_ONCE).map(rewardItem);
        await accrueRewards(accounts, { bot, referrer, items });
      }
    }),
  );
  try {
    await Promise.all(work);
  } finally {
    // After a failure nothing may go on behind the back of whoever starts again.
    queue.clear();
    await queue.onIdle();
  }
  return !signal.aborted;
}

/** In the order of the rows: the first of an account to accrue by a rule locks its rate. */
function byAccount(rows: readonly EarningRow[]): Map<string, EarningRow[]> {
  const accounts = new Map<string, EarningRow[]>();
  for (const row of rows) {
    const key = `${row.bot} ${row.referrer_id}`;
    const rowsOf = accounts.get(key);
    if (rowsOf === undefined) accounts.set(key, [row]);
    else rowsOf.push(row);
  }
  return accounts;
}
