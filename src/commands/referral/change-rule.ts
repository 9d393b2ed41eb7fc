import { type BotState, bot, bot as botDecider } from '../../domain/catalog/bot.ts';
import { currencyDigits, currencyProblem } from '../../domain/catalog/checks.ts';
import { eventTypes } from '../../domain/catalog/event-types.ts';
import { owner } from '../../domain/catalog/owner.ts';
import { SYSTEM_EVENTS } from '../../domain/intake/system-events.ts';
import { type AmountUnit, setRate as set } from '../../domain/referral/account/reward.ts';
import {
  changeRule as decideChange,
  createRule as decideCreation,
  program,
  type RewardRule,
  type RewardRuleChanges,
  type CreateRule as Rule,
  type RuleCatalog,
  SCALE_WITHOUT_UNIT,
} from '../../domain/referral/program.ts';
import { Rejection } from '../../domain/rejection.ts';
import { botStream, eventTypesStream, ownerStream, programStream } from '../../domain/streams.ts';
import type { EventLog, RecordedCommit } from '../../log/port.ts';
import { existingBot } from '../catalog/change-bot.ts';
import { ensureUnit } from '../catalog/units.ts';
import {
  type CommandContext,
  type CommandMeta,
  type CommandResult,
  decideAndAppend,
  load,
  takingId,
} from '../decide-and-append.ts';
import { decideWithId } from '../reserve-ids.ts';
import type { Accounts } from './accounts.ts';
import type { AccountKey } from './books.ts';

/**
 * Reads from the log which units and events a bot's rules may name. No command removes units or events, so the result
 * stays true.
 * @throws Rejection not_found
 */
export async function ruleCatalog(
  log: EventLog,
  publicKey: string,
): Promise<RuleCatalog & { readonly units: ReadonlyMap<string, AmountUnit> }> {
  const [{ state }, types] = await Promise.all([
    load(log, bot, botStream(publicKey)),
    load(log, eventTypes, eventTypesStream(publicKey)),
  ]);
  if (state.bot === null) throw new Rejection('not_found', 'bot', `there is no bot ${publicKey}`);
  const { names, goals } = types.state;
  const events = new Set<number>([...Object.values(SYSTEM_EVENTS), ...names.values(), ...goals.values()]);
  return { units: state.units, scales: scalesOf(state), hasEvent: (eventId) => events.has(eventId) };
}

function scalesOf({ units }: BotState): Map<number, number> {
  return new Map([...units.values()].map(({ unit_id, scale }) => [unit_id, scale]));
}

/** The rules of a bot in the order of their creation, read from the log. @throws Rejection not_found */
export async function rulesOf(log: EventLog, bot: string): Promise<RewardRule[]> {
  await existingBot(log, bot);
  return [...(await load(log, program, programStream(bot))).state.values()];
}

export type CreateRule = Omit<Rule, 'rule_id'> & {
  /** Public key of the bot. */
  readonly bot: string;
  /** The currency code of the unit, instead of `unit_id`. */
  readonly currency?: string | undefined;
};

/** Creates a reward rule. A fixed amount without a unit is in the owner's currency. @throws Rejection */
export async function createRule(
  context: CommandContext,
  { bot, currency, ...rule }: CreateRule,
  meta: CommandMeta = {},
): Promise<{ readonly ruleId: number } & Pick<CommandResult<unknown>, 'position' | 'repeated'>> {
  const catalog = await ruleCatalog(context.log, bot);
  const isInOwnersCurrency = currency === undefined && rule.reward_type === 'fixed' && rule.unit_id === null;
  const code = isInOwnersCurrency ? await ownersCurrency(context, bot) : currency;
  const unit = code === undefined ? null : await currencyUnit(context, bot, code, rule, catalog);
  const unit_id = unit?.unit_id ?? rule.unit_id;
  const known = unit === null ? catalog : withUnit(catalog, unit);
  const { events, position, repeated } = await decideWithId(
    context,
    'rule',
    program,
    programStream(bot),
    (state, rule_id) => decideCreation(state, { ...rule, rule_id, unit_id }, known),
    meta,
  );
  return { ruleId: events[0]!.data.rule_id, position, repeated };
}

/** The id of the rule that a commit created. */
export const ruleCreatedIn = ({ events }: RecordedCommit): number => program.read(events[0]!).data.rule_id;

async function ownersCurrency({ log }: CommandContext, bot: string): Promise<string> {
  const { owner_id } = await existingBot(log, bot);
  return (await load(log, owner, ownerStream(owner_id))).state.owner!.currency;
}

/** The bot's unit of a currency. Creates the unit if there is none, unless the rule is refused. @throws Rejection */
async function currencyUnit(
  context: CommandContext,
  bot: string,
  currency: string,
  rule: Omit<Rule, 'rule_id'>,
  catalog: RuleCatalog & { readonly units: ReadonlyMap<string, AmountUnit> },
): Promise<AmountUnit> {
  const problem = currencyProblem('unit', currency);
  if (problem !== undefined) throw problem;
  const known = catalog.units.get(currency);
  if (known !== undefined) return known;
  const unit: AmountUnit = { unit_id: 0, scale: currencyDigits(currency)! };
  const decision = decideCreation(new Map(), { ...rule, ...unit, rule_id: 0 }, withUnit(catalog, unit));
  if (decision instanceof Rejection) throw decision;
  return ensureUnit(context, bot, currency);
}

function withUnit(catalog: RuleCatalog, { unit_id, scale }: AmountUnit): RuleCatalog {
  return { ...catalog, scales: new Map(catalog.scales).set(unit_id, scale) };
}

/** Changes a reward rule. @throws Rejection */
export async function changeRule(
  context: CommandContext,
  { bot, ruleId }: { readonly bot: string; readonly ruleId: number },
  changes: RewardRuleChanges,
  meta: CommandMeta = {},
): Promise<Pick<CommandResult<unknown>, 'position' | 'repeated'>> {
  const catalog = await ruleCatalog(context.log, bot);
  const same = { type: 'reward_rule_changed', data: { rule_id: ruleId } } as const;
  return decideAndAppend(
    context,
    program,
    programStream(bot),
    (state) => takingId(decideChange(state, ruleId, changes, catalog), meta, same),
    meta,
  );
}

interface SetRate extends AccountKey {
  readonly ruleId: number;
  readonly amount?: string | undefined;
  readonly percent?: string | undefined;
}

/** Gives a referrer an individual rate from now on. @throws Rejection */
export async function setRate(accounts: Accounts, command: SetRate): Promise<CommandResult<unknown>> {
  const { bot, userId, ruleId, amount, percent } = command;
  const { log } = accounts.context;
  // The type and unit of a rule and the scale of a unit never change, so these reads cannot be out of date.
  const { state: catalog } = await load(log, botDecider, botStream(bot));
  if (catalog.bot === null) throw new Rejection('not_found', 'bot', `there is no bot ${bot}`);
  const rule = (await load(log, program, programStream(bot))).state.get(ruleId);
  if (rule === undefined) throw new Rejection('not_found', 'rule', `the bot has no rule ${ruleId}`);
  const unit = [...catalog.units.values()].find(({ unit_id }) => unit_id === rule.unit_id);
  const scale = unit?.scale ?? SCALE_WITHOUT_UNIT;
  return accounts.change(
    { bot, userId },
    { decide: (state, now) => set(state, { rule, scale, amount, percent }, now) },
  );
}
