import Big from 'big.js';
import { currencyDigits } from '../../domain/catalog/checks.ts';
import type { CustomEventItem } from '../../domain/intake/events.ts';
import { SCALE_WITHOUT_UNIT } from '../../domain/referral/program.ts';
import {
  IMPORTED,
  type ImportedReferral,
  type ReferralImport,
  referralImport,
} from '../../domain/referral/referral-import.ts';
import { importStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { existingBot } from '../catalog/bots.ts';
import { type CommandContext, type Loaded, load } from '../decide-and-append.ts';
import type { EventTypeDirectory } from '../intake/event-type-directory.ts';
import { untilCertain } from '../until-certain.ts';
import { changeRule, createRule, ruleCatalog, rulesOf } from './rules.ts';

/** A line of a file: a referral, or why there is none. */
export type ReferralLine = { readonly line: number } & (
  | { readonly referral: ImportedReferral }
  | { readonly problem: string }
);

export interface ImportReferralsOptions {
  /** The public key of the bot. */
  readonly bot: string;
  /** Names the content of the file. */
  readonly file: string;
  readonly lines: AsyncIterable<ReferralLine>;
  /** Called with each line that is refused. */
  readonly onRefused: (line: number, problem: string) => void;
  /** Called with each opening balance that is refused, since its user has another referrer. */
  readonly onOtherReferrer: (referral: ImportedReferral, referrer: number) => void;
  /** The referrers of these users, as of the log up to the position. */
  readonly referrersOf: (userIds: readonly number[], upTo: Position) => Promise<ReadonlyMap<number, number>>;
}

export interface ImportedReferrals {
  readonly imported: number;
  readonly imported_before: number;
  readonly refused: number;
  /** Opening balances that this call has made events of. */
  readonly balances: number;
  readonly position: Position | undefined;
}

/** Referrals of a commit. */
const MAX_REFERRALS = 500;

/**
 * Appends who referred each user, and for each opening balance an event that earns it by the rule `imported`, 100 percent of
 * the value without a hold. So accruals, history and audit treat the balance as any other reward. The event is appended after
 * the referral is certain, and only if the referrer is the one of the line: the amount would else go to another account.
 * Resumes after a failure; a file counts once (decisions.md#import-referrals).
 * @throws Rejection not_found: the bot
 * @throws ConflictError another command imports the same file
 */
export async function importReferrals(
  context: CommandContext & { readonly directory: EventTypeDirectory },
  { bot, file, lines, onRefused, onOtherReferrer, referrersOf }: ImportReferralsOptions,
): Promise<ImportedReferrals> {
  const { log, sources, directory } = context;
  await existingBot(log, bot);
  const stream = importStream(bot, file);
  let loaded: Loaded<ReferralImport> = await load(log, referralImport, stream);
  const imported_before = loaded.state.imported;
  const result = () => ({ imported: loaded.state.imported - imported_before, imported_before, refused, balances });
  let { line, refused } = loaded.state;
  let balances = 0;
  if (loaded.state.isFinished) return { ...result(), position: undefined };
  const scaleOf = await unitScales(context, bot);
  let eventId: number | undefined;

  async function append(event: Parameters<typeof referralImport.write>[0]): Promise<void> {
    const commit = {
      id: sources.uuid(),
      stream,
      expected: loaded.head,
      at: sources.now(),
      events: [referralImport.write(event)],
    };
    const { head, position } = await untilCertain(() => log.append(commit));
    loaded = { state: referralImport.evolve(loaded.state, event), head: head!, position };
  }

  /** Makes the events of the last part's opening balances. */
  async function settle(): Promise<void> {
    const { unsettled } = loaded.state;
    if (unsettled.length === 0) return;
    eventId ??= await openRule(context, bot, directory);
    const referrers = await referrersOf(
      unsettled.map(({ user_id }) => user_id),
      loaded.position!,
    );
    const items: CustomEventItem[] = [];
    for (const referral of unsettled) {
      const referrer = referrers.get(referral.user_id)!;
      if (referrer === referral.referrer_id) items.push(balanceEvent(referral, eventId, scaleOf));
      else onOtherReferrer(referral, referrer);
    }
    if (items.length === 0) return;
    await append({ type: 'custom_events_received', data: { items } });
    balances += items.length;
  }

  let part: ImportedReferral[] = [];
  async function flush(finished: boolean): Promise<void> {
    await settle();
    await append({ type: 'referrals_imported', data: { items: part, line, refused, finished } });
    part = [];
  }

  for await (const next of lines) {
    if (next.line <= loaded.state.line) continue; // the log has it
    const problem = 'problem' in next ? next.problem : referralProblem(next.referral, scaleOf);
    if (problem !== undefined) {
      refused++;
      onRefused(next.line, problem);
    } else {
      if (part.length === MAX_REFERRALS) await flush(false);
      if ('referral' in next) part.push(next.referral);
    }
    line = next.line;
  }
  if (part.length > 0) await flush(false);
  await flush(true);
  if (eventId !== undefined) await closeRule(context, bot);
  return { ...result(), position: loaded.position };
}

type ScaleOf = (unit: string | undefined) => number | undefined;

/** The decimals of the bot's units and of currencies; without a unit those of amounts that have none. */
async function unitScales({ log }: CommandContext, bot: string): Promise<ScaleOf> {
  const { units } = await ruleCatalog(log, bot);
  return (unit) => (unit === undefined ? SCALE_WITHOUT_UNIT : (units.get(unit)?.scale ?? currencyDigits(unit)));
}

function referralProblem({ user_id, referrer_id, balance }: ImportedReferral, scaleOf: ScaleOf): string | undefined {
  if (user_id === referrer_id) return 'user_id and referrer_id must be two users';
  if (balance === undefined) return undefined;
  const { amount, unit } = balance;
  const scale = scaleOf(unit);
  if (scale === undefined) return `unit must be a unit of the bot or a currency: ${unit} is none`;
  if (new Big(amount).lte(0)) return 'balance must be above 0';
  if (!new Big(amount).round(scale).eq(amount)) return `balance must have at most ${scale} decimals`;
  return undefined;
}

/** A custom event has its value in the smallest parts of its unit. */
function balanceEvent({ user_id, balance }: ImportedReferral, event_id: number, scaleOf: ScaleOf): CustomEventItem {
  const { amount, unit } = balance!;
  const value = unit === undefined ? amount : new Big(amount).times(`1e${scaleOf(unit)}`).toFixed();
  return { event_id, user_id, value, unit };
}

/** The rule by which opening balances are earned is active while an import runs. @returns the event id that triggers it */
async function openRule(context: CommandContext, bot: string, directory: EventTypeDirectory): Promise<number> {
  const trigger_event_id = (await directory.resolve(bot, [IMPORTED])).get(IMPORTED)!;
  const rule = await importRule(context, bot);
  if (rule === undefined) {
    const terms = { reward_type: 'percent', percent: '100', amount: null, unit_id: null, hold_days: '0' } as const;
    await createRule(context, { bot, name: IMPORTED, trigger_event_id, ...terms });
  } else await changeRule(context, { bot, ruleId: rule.rule_id }, { active: true });
  return trigger_event_id;
}

async function closeRule(context: CommandContext, bot: string): Promise<void> {
  const rule = await importRule(context, bot);
  await changeRule(context, { bot, ruleId: rule!.rule_id }, { active: false });
}

async function importRule({ log }: CommandContext, bot: string) {
  return (await rulesOf(log, bot)).find(({ name, percent }) => name === IMPORTED && percent === '100');
}
