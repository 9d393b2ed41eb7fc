import { currencyProblem } from '../../domain/catalog/checks.ts';
import { currencyDigits } from '../../domain/catalog/currency.ts';
import { owner } from '../../domain/catalog/owner.ts';
import type { AmountUnit } from '../../domain/referral/account/reward.ts';
import {
  createRule as decide,
  program,
  type CreateRule as Rule,
  type RuleCatalog,
} from '../../domain/referral/program.ts';
import { Rejection } from '../../domain/rejection.ts';
import { ownerStream, programStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { ensureUnit } from '../catalog/ensure-unit.ts';
import { existingBot } from '../catalog/existing-bot.ts';
import { type CommandContext, decideAndAppend, load } from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';
import { ruleCatalog } from './rule-catalog.ts';

export type CreateRule = Omit<Rule, 'rule_id'> & {
  /** The bot's public key. */
  readonly bot: string;
  /** The unit by its currency's code, instead of `unit_id`. */
  readonly currency?: string | undefined;
};

/** A fixed amount without a unit is one of the owner's currency. @throws Rejection */
export async function createRule(
  context: CommandContext,
  { bot, currency, ...rule }: CreateRule,
): Promise<{ ruleId: number; position: Position | undefined }> {
  const catalog = await ruleCatalog(context.log, bot);
  const isOwners = currency === undefined && rule.reward_type === 'fixed' && rule.unit_id === null;
  const code = isOwners ? await ownersCurrency(context, bot) : currency;
  const unit = code === undefined ? null : await currencyUnit(context, bot, code, rule, catalog);
  const unit_id = unit?.unit_id ?? rule.unit_id;
  const rule_id = await reserveId(context, 'rule');
  const { position } = await decideAndAppend(context, program, programStream(bot), (state) =>
    decide(state, { ...rule, rule_id, unit_id }, unit === null ? catalog : withUnit(catalog, unit)),
  );
  return { ruleId: rule_id, position };
}

async function ownersCurrency({ log }: CommandContext, bot: string): Promise<string> {
  const { owner_id } = await existingBot(log, bot);
  return (await load(log, owner, ownerStream(owner_id))).state.owner!.currency;
}

/** The bot's unit of a currency, made if there is none; not for a rule that is refused. @throws Rejection */
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
  const decision = decide(new Map(), { ...rule, ...unit, rule_id: 0 }, withUnit(catalog, unit));
  if (decision instanceof Rejection) throw decision;
  return ensureUnit(context, bot, currency);
}

function withUnit(catalog: RuleCatalog, { unit_id, scale }: AmountUnit): RuleCatalog {
  return { ...catalog, scales: new Map(catalog.scales).set(unit_id, scale) };
}
