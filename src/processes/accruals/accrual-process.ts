import PQueue from 'p-queue';
import type { Accounts } from '../../commands/referral/accounts.ts';
import { accrueRewards } from '../../commands/referral/accrue-rewards.ts';
import { currencyDigits } from '../../domain/catalog/checks.ts';
import type { RewardBase, RewardItem } from '../../domain/referral/account/reward.ts';
import { type Cursor, hasPassedAll, type Position, partitionOf, within } from '../../log/port.ts';
import { accountsManifest } from '../../projections/accounts/manifest.ts';
import { catalogManifest } from '../../projections/catalog/manifest.ts';
import { eventsManifest } from '../../projections/events/manifest.ts';
import { referralManifest } from '../../projections/referral/manifest.ts';
import { deadLetteredIn } from '../../projections/runtime/dead-letters.ts';
import { partRebuilds } from '../../projections/runtime/part-rebuilds.ts';
import { servedProgress, waitForReadModels } from '../../projections/runtime/wait-for-read-models.ts';
import {
  type EarningRow,
  type EarningsSource,
  earningsOf,
  endOfPage,
  type Stretch,
} from '../../queries/referral/earnings.ts';
import { refundsOf } from '../../queries/referral/refunds.ts';
import { inSpan } from '../../util/tracing.ts';
import type { Process, ProcessContext } from '../process.ts';
import { ACCOUNT_AGAIN_MS, isUnreadable, reportAccount } from '../unreadable-account.ts';
import { createRest } from '../wait-for-work.ts';
import { leaveOut, type Progress, safeCursor, takeIn } from './accrual-progress.ts';
import { reverseRefunded } from './reverse-refunded.ts';

/** How often it looks for events to reward. Once all are decided on, growth of the log wakes it. */
const POLL_MS = 150;
/** How often it checks for a stop while the catalog is behind. */
const CATALOG_MS = 500;
/** Events of one page; its rows are in memory at once. */
const PAGE = 2000;
/** How many accounts are decided on side by side: their appends share transactions of the log. */
const ACCOUNTS_AT_ONCE = 32;
/** Items of one append, about 400 bytes each: an engine may take 1 MiB at most. */
const ITEMS_AT_ONCE = 500;

/**
 * Rewards referrers for events of their referrals (decisions.md#reward-rules). It walks the events that rules name, in
 * the order in which they came to count, behind the read models, and hands them to the accounts. An account knows the
 * events that it has decided on, so walking the same events again, or at the same time as another instance, changes
 * nothing.
 */
export const accruals: Process = { name: 'accruals', instances: 'shared', run };

async function run(context: ProcessContext, signal: AbortSignal): Promise<void> {
  const progress: Progress = { reached: new Map(await context.reached()), waiting: new Map() };
  const { reached, waiting } = progress;
  /** Accounts that cannot be read, by the time when each is tried again. */
  const leftOut = new Map<string, number>();
  /** By an earlier run, events may have been passed that a rebuild has brought back since. */
  let rebuilds = 0;
  const pausing = createRest(context);
  while (!signal.aborted) {
    pausing.begin();
    const end = await context.log.endCursor();
    const isIdle = hasPassedAll(reached, within(context.partitions, end)) && waiting.size === 0;
    const found = isIdle ? null : await lookUp(context, end, signal);
    if (found !== null) {
      if (found.rebuilds > rebuilds) reached.clear();
      rebuilds = found.rebuilds;
      for (const [account, againAt] of leftOut) if (againAt <= performance.now()) leftOut.delete(account);
      takeIn(progress, found.deadLettered, new Set(leftOut.keys()));
      context.note(safeCursor(progress));
      for (const [partition, to] of found.upTo) {
        const stretch = { partition, after: reached.get(partition) ?? '', to };
        const done = await walk(context, found, stretch, signal, {
          passed(position) {
            reached.set(partition, position);
            context.note(safeCursor(progress));
          },
          unreadable(account, after, error) {
            const name = `account ${account.bot}/${account.user}`;
            leaveOut(progress, name, { partition, after });
            if (leftOut.has(name)) return;
            leftOut.set(name, performance.now() + ACCOUNT_AGAIN_MS);
            reportAccount(context, account, error);
          },
        });
        if (!done) return;
      }
    }
    await pausing.rest(POLL_MS, waiting.size === 0 ? [reached] : null, signal);
  }
}

interface Found {
  readonly source: EarningsSource;
  /** By partition: the read models have applied events and referrals up to here. */
  readonly upTo: ReadonlyMap<number, Position>;
  /** Positions of these read models' dead letters, by their ids, and of quarantined bots. */
  readonly deadLettered: ReadonlyMap<string, Position>;
  /** Bots that wait in one of these read models: nothing of them is decided on. */
  readonly quarantined: ReadonlySet<string>;
  /** How often events or referrals of some bots were built again. */
  readonly rebuilds: number;
}

/**
 * Finds how far events can be decided on; null: not yet. Rates and units come from the catalog. It must have applied the log
 * up to `logEnd`, since otherwise an event would be refused for a rate that is only late.
 */
async function lookUp(
  { pool, served, partitions }: ProcessContext,
  logEnd: Cursor,
  signal: AbortSignal,
): Promise<Found | null> {
  while (!(await waitForReadModels([servedProgress(pool, catalogManifest)], logEnd, { timeoutMs: CATALOG_MS })))
    if (signal.aborted) return null;
  const [events, referral, catalog, accounts] = await Promise.all(
    [eventsManifest, referralManifest, catalogManifest, accountsManifest].map(served),
  );
  if (!events || !referral || !catalog || !accounts) return null;
  const upTo = new Map<number, Position>();
  for (const [partition, end] of within(partitions, logEnd)) {
    const [passed, known] = [events.passed.get(partition), referral.passed.get(partition)];
    if (passed === undefined || known === undefined) continue;
    upTo.set(partition, [end, passed, known].sort()[0]!);
  }
  const schemas = {
    events: events.schema,
    referral: referral.schema,
    catalog: catalog.schema,
    accounts: accounts.schema,
  };
  const source = { pool, ...schemas };
  // Read after the checkpoints, so it has every dead letter before them.
  const everywhere = await deadLetteredIn(pool, [events.schema, referral.schema, accounts.schema]);
  const deadLettered = new Map([...everywhere].filter(([, position]) => partitions.has(partitionOf(position))));
  const quarantined = new Set<string>();
  for (const { schema, quarantined: bots } of [events, referral, accounts])
    for (const [bot, { partition, position }] of bots) {
      quarantined.add(bot);
      if (partitions.has(partition)) deadLettered.set(`${schema} bot ${bot}`, position || `${partition}:`);
    }
  const rebuilds = await partRebuilds(pool, [events.schema, referral.schema]);
  return { source, upTo, deadLettered, quarantined, rebuilds };
}

interface WalkEvents {
  readonly passed: (position: Position) => void;
  /** Called for an account whose rewards after a position were left out. The walk continues. */
  readonly unreadable: (account: AccountName, after: Position, error: Error) => void;
}

interface AccountName {
  readonly bot: string;
  readonly user: number;
}

/** Walks part of a partition, page by page. @returns false: the signal aborted before the end */
async function walk(
  context: ProcessContext,
  { source, quarantined }: Found,
  { partition, after: from, to }: Stretch,
  signal: AbortSignal,
  { passed, unreadable }: WalkEvents,
): Promise<boolean> {
  for (let after = from; after < to; ) {
    if (signal.aborted) return false;
    const last = await endOfPage(source, { partition, after, to }, PAGE);
    if (last !== null) {
      // The rules and referrals of a quarantined bot are old. Once it has caught up, its events are walked again.
      const isKnown = ({ bot }: { readonly bot: string }): boolean => !quarantined.has(bot);
      const rows = (await earningsOf(source, { partition, after, to: last })).filter(isKnown);
      const onUnreadable = (account: AccountName, error: Error) => unreadable(account, after, error);
      if (!(await accrue(context.accounts, rows, signal, onUnreadable))) return false;
      // After the accruals: a payment and its refund may be on one page.
      const refunds = (await refundsOf(source, { partition, after, to: last })).filter(isKnown);
      if (!(await reverseRefunded(context, source, refunds, signal, onUnreadable))) return false;
    }
    after = last ?? to;
    passed(after);
  }
  return true;
}

/** @returns false: the signal aborted before all was done */
async function accrue(
  accounts: Accounts,
  rows: readonly EarningRow[],
  signal: AbortSignal,
  unreadable: (account: AccountName, error: Error) => void,
): Promise<boolean> {
  const queue = new PQueue({ concurrency: ACCOUNTS_AT_ONCE });
  const work = [...byAccount(rows)].map(([, ofAccount]) =>
    queue.add(async () => {
      const { bot, referrer_id: referrer } = ofAccount[0]!;
      try {
        for (let at = 0; at < ofAccount.length && !signal.aborted; at += ITEMS_AT_ONCE) {
          const rows = ofAccount.slice(at, at + ITEMS_AT_ONCE);
          const items = rows.map(rewardItem);
          await tracedAccrual(rows, () => accrueRewards(accounts, { bot, referrer, items }));
        }
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        unreadable({ bot, user: referrer }, error);
      }
    }),
  );
  try {
    await Promise.all(work);
  } finally {
    // After a failure all work must have ended before the process is started again.
    queue.clear();
    await queue.onIdle();
  }
  return !signal.aborted;
}

/** Without an event that is traced there is no span: a walk through an old log makes none. */
async function tracedAccrual(rows: readonly EarningRow[], accrue: () => Promise<unknown>): Promise<void> {
  const links = rows.map(({ trace }) => trace).filter((trace) => trace !== null);
  const attributes = { 'messaging.batch.message_count': rows.length };
  if (links.length === 0) await accrue();
  else await inSpan('accrue rewards', { kind: 'consumer', root: true, links, attributes }, accrue);
}

/** Keeps the order of the rows: the first accrual of an account by a rule locks its rate. */
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

/** The question that an account decides on. */
function rewardItem(row: EarningRow): RewardItem {
  const { rule_id, reward_type, amount, percent, hold_days, rule_unit_id, referral_id } = row;
  const { commit_id, idx: index, event_id, date, date_received: received } = row;
  return {
    rule: { rule_id, reward_type, amount, percent, unit_id: rule_unit_id, hold_days },
    referral_id,
    event: { commit_id, index, event_id, date, received },
    ...(reward_type === 'percent' ? baseOf(row) : {}),
  };
}

/** The amount that a percentage refers to: in the rule's unit, if it has one, else in the event's. */
function baseOf(row: EarningRow): Pick<RewardItem, 'base' | 'refusal'> {
  const { value, unit, rule_unit, rule_unit_id, rule_scale, rate } = row;
  if (value === null) return { refusal: unit === null ? 'no_value' : 'unknown_unit' };
  if (rule_unit_id === null) {
    const own = eventUnit(row);
    return own === undefined ? { refusal: 'unknown_unit' } : { base: { value, rate: '1', unit: own } };
  }
  // A value without a unit counts in the rule's unit.
  const factor = unit === null || unit === rule_unit ? '1' : rate;
  if (factor === null) return { refusal: 'no_rate' };
  return { base: { value, rate: factor, unit: { unit_id: rule_unit_id, scale: rule_scale! } } };
}

/** A unit of the bot, or a currency; null: the event has no unit; undefined: its unit is unknown. */
function eventUnit({ unit, event_unit_id, event_scale }: EarningRow): RewardBase['unit'] | undefined {
  if (unit === null) return null;
  if (event_unit_id !== null) return { unit_id: event_unit_id, scale: event_scale! };
  return currencyDigits(unit) === undefined ? undefined : { currency: unit };
}
