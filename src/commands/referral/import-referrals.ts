import Big from 'big.js';
import { currencyDigits } from '../../domain/catalog/checks.ts';
import { eventTypes } from '../../domain/catalog/event-types.ts';
import type { CustomEventItem } from '../../domain/intake/intake-events.ts';
import { type RewardRule, SCALE_WITHOUT_UNIT } from '../../domain/referral/program.ts';
import {
  balanceKey,
  IMPORT_RULE,
  type ImportedReferral,
  importEvent,
  type ReferralImport,
  referralImport,
} from '../../domain/referral/referral-import.ts';
import { eventTypesStream, importStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { existingBot } from '../catalog/change-bot.ts';
import { type CommandContext, type Loaded, load, untilCertain } from '../decide-and-append.ts';
import type { EventTypeDirectory } from '../intake/event-type-directory.ts';
import type { ImportFileOptions } from '../intake/import-events.ts';
import { createImportPace } from '../intake/import-pace.ts';
import { changeRule, createRule, ruleCatalog, rulesOf } from './change-rule.ts';

/** A line of a file: a referral, or the problem of the line. */
export type ReferralLine = { readonly line: number; readonly text: string } & (
  | { readonly referral: ImportedReferral }
  | { readonly problem: string }
);

export interface ImportReferralsOptions extends ImportFileOptions<ReferralLine> {
  /** Called with each opening balance that is refused now. */
  readonly onRefusedBalance: (referral: ImportedReferral, problem: string) => Promise<void>;
  /** Reads the known referrals up to the position of the log. */
  readonly lookUp: (referrals: readonly ImportedReferral[], upTo: Position) => Promise<KnownReferrals>;
}

export interface KnownReferrals {
  /** The referrer of each user. */
  readonly referrers: ReadonlyMap<number, number>;
  /** The keys of those opening balances ({@link balanceKey}) that count already. */
  readonly balances: ReadonlySet<string>;
}

export interface ImportedReferrals {
  readonly imported: number;
  readonly imported_before: number;
  /** Lines and opening balances of the whole file that are refused. */
  readonly refused: number;
  /** Opening balances that this call has made events of. */
  readonly balances: number;
  readonly position: Position | undefined;
}

/** Referrals of a commit. */
const MAX_REFERRALS = 500;

/**
 * Appends who referred each user, and for each opening balance an event that earns it by the rule `imported`, 100
 * percent of the value without a hold. So accruals, history and audit treat the balance as any other reward. The event
 * is appended after the referral is certain, and only if the line names the referrer: the amount would else go to
 * another account. Resumes after a failure; a file counts once, and a balance counts once for a user and unit
 * (decisions.md#import-referrals).
 * @throws Rejection not_found: the bot
 * @throws ConflictError another command imports the same file
 */
export async function importReferrals(
  context: CommandContext & { readonly directory: EventTypeDirectory },
  { bot, file, check, lines, namesRefused, onRefused, onRefusedBalance, lookUp, applied }: ImportReferralsOptions,
): Promise<ImportedReferrals> {
  const { log, sources, directory } = context;
  await existingBot(log, bot);
  const stream = importStream(bot, file);
  let loaded: Loaded<ReferralImport> = await load(log, referralImport, stream);
  const imported_before = loaded.state.imported;
  const isFinished = loaded.state.isFinished;
  let { line, refused } = loaded.state;
  let balances = 0;
  let position: Position | undefined;
  const scaleOf = await unitScales(context, bot);
  const now = sources.now();
  let eventId: number | undefined;

  async function append(event: Parameters<typeof referralImport.write>[0]): Promise<void> {
    const events = [referralImport.write(event)];
    const commit = { id: sources.uuid(), stream, expected: loaded.head, at: sources.now(), events };
    const appended = await untilCertain(() => log.append(commit));
    position = appended.position;
    loaded = { state: referralImport.evolve(loaded.state, event), head: appended.head!, position };
  }

  /** Makes the events of the last part's opening balances. */
  async function settle(): Promise<void> {
    const { unsettled } = loaded.state;
    if (unsettled.length === 0) return;
    eventId ??= await openRule(context, bot, file, directory);
    const known = await lookUp(unsettled, loaded.position!);
    const items: CustomEventItem[] = [];
    for (const referral of unsettled) {
      const problem = balanceProblem(referral, known);
      if (problem === null) items.push(balanceEvent(referral, eventId, scaleOf));
      else {
        refused++;
        await onRefusedBalance(referral, problem);
      }
    }
    if (items.length === 0) return; // the next part says so
    await append({ type: 'custom_events_received', data: { items } });
    balances += items.length;
  }

  const pace = createImportPace(applied);
  let part: ImportedReferral[] = [];
  async function flush(finished: boolean): Promise<void> {
    await settle();
    await pace.room();
    await append({ type: 'referrals_imported', data: { items: part, line, refused, finished } });
    pace.appended(position!);
    part = [];
  }

  if (!isFinished) await check();
  const named = new Set<string>();
  const isRead = !isFinished || (namesRefused && refused > 0);
  for await (const next of isRead ? lines : []) {
    const problem = 'problem' in next ? next.problem : referralProblem(next.referral, { scaleOf, named, now });
    if (problem !== null) await onRefused({ line: next.line, problem, text: next.text });
    if (next.line <= loaded.state.line || isFinished) continue; // the log has it
    if (problem !== null) refused++;
    else if ('referral' in next) {
      if (part.length === MAX_REFERRALS) await flush(false);
      part.push(next.referral);
    }
    line = next.line;
  }
  if (!isFinished) {
    if (part.length > 0) await flush(false);
    await flush(true);
  }
  await closeRule(context, bot, file);
  return { imported: loaded.state.imported - imported_before, imported_before, refused, balances, position };
}

type ScaleOf = (unit: string | undefined) => number | undefined;

/** The decimals of the bot's units and of currencies; without a unit the decimals of amounts that have none. */
async function unitScales({ log }: CommandContext, bot: string): Promise<ScaleOf> {
  const { units } = await ruleCatalog(log, bot);
  return (unit) => (unit === undefined ? SCALE_WITHOUT_UNIT : (units.get(unit)?.scale ?? currencyDigits(unit)));
}

interface Checked {
  readonly scaleOf: ScaleOf;
  /** Keys of the opening balances of the lines before. */
  readonly named: Set<string>;
  readonly now: number;
}

/** @returns null if the line is right */
function referralProblem(referral: ImportedReferral, { scaleOf, named, now }: Checked): string | null {
  const { user_id, referrer_id, date, balance } = referral;
  if (user_id === referrer_id) return 'user_id and referrer_id must be two users';
  if (date !== undefined && date > now) return 'date must not lie in the future';
  if (balance === undefined) return null;
  const { amount, unit } = balance;
  const scale = scaleOf(unit);
  if (scale === undefined) return `unit must be a currency or a unit of the bot, not ${unit}`;
  if (new Big(amount).lte(0)) return 'balance must be above 0';
  if (!new Big(amount).round(scale).eq(amount)) return `balance must have at most ${scale} decimals`;
  if (named.has(balanceKey(referral))) return `user ${user_id} has a balance in this unit on an earlier line`;
  named.add(balanceKey(referral));
  return null;
}

/** @returns null if the balance may be earned */
function balanceProblem(referral: ImportedReferral, { referrers, balances }: KnownReferrals): string | null {
  const { user_id, referrer_id } = referral;
  const referrer = referrers.get(user_id);
  if (referrer === undefined)
    throw new Error(`the referral of user ${user_id} is in the log, and not in the read model`);
  if (referrer !== referrer_id) return `the user has the referrer ${referrer}`;
  return balances.has(balanceKey(referral)) ? 'the user has an opening balance in this unit' : null;
}

/** A custom event has its value in the smallest parts of its unit. */
function balanceEvent(referral: ImportedReferral, event_id: number, scaleOf: ScaleOf): CustomEventItem {
  const { amount, unit } = referral.balance!;
  const value = unit === undefined ? amount : new Big(amount).times(`1e${scaleOf(unit)}`).toFixed();
  return { event_id, user_id: referral.user_id, value, unit, event_key: balanceKey(referral) };
}

/** The rule by which opening balances are earned is active while its file is imported. @returns the event id that triggers it */
async function openRule(
  context: CommandContext,
  bot: string,
  file: string,
  directory: EventTypeDirectory,
): Promise<number> {
  const name = importEvent(file);
  const trigger_event_id = (await directory.resolve(bot, [name])).get(name)!;
  const rule = await importRule(context, bot, file);
  if (rule === undefined) {
    const terms = { reward_type: 'percent', percent: '100', amount: null, unit_id: null, hold_days: '0' } as const;
    await createRule(context, { bot, name: IMPORT_RULE, trigger_event_id, ...terms });
  } else if (!rule.active) await changeRule(context, { bot, ruleId: rule.rule_id }, { active: true });
  return trigger_event_id;
}

async function closeRule(context: CommandContext, bot: string, file: string): Promise<void> {
  const rule = await importRule(context, bot, file);
  if (rule?.active) await changeRule(context, { bot, ruleId: rule.rule_id }, { active: false });
}

/** The rule of a file, by the event that triggers it: an owner may rename the rule. */
async function importRule({ log }: CommandContext, bot: string, file: string): Promise<RewardRule | undefined> {
  const { state } = await load(log, eventTypes, eventTypesStream(bot));
  const trigger = state.names.get(importEvent(file));
  if (trigger === undefined) return undefined;
  return (await rulesOf(log, bot)).find(({ trigger_event_id }) => trigger_event_id === trigger);
}
