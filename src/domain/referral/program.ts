import Big from 'big.js';
import { z } from 'zod';
import { MAX_NAME_LENGTH, textProblem } from '../catalog/checks.ts';
import { type Changes, type Decision, decider, differences, withChanges } from '../decider.ts';
import { type DataOf, type EventOf, eventType } from '../event-type.ts';
import { SYSTEM_EVENTS } from '../intake/system-events.ts';
import { Rejection } from '../rejection.ts';

/**
 * Stream `program-<bot>`: the rules by which a bot's referrers earn rewards (decisions.md#reward-rules). Amounts, percents
 * and days are decimal text.
 */

const id = z.number().int().positive();
/** Decimal text without an exponent, never negative. */
const decimal = z.string().regex(/^\d+(\.\d+)?$/);

export const rewardType = z.enum(['fixed', 'percent', 'external']);

/** The fields of a rule that can be changed. */
const changeable = z.object({
  name: z.string(),
  /** In normal units; only of type `fixed`. */
  amount: decimal.nullable(),
  /** Only of type `percent`. */
  percent: decimal.nullable(),
  hold_days: decimal,
  active: z.boolean(),
});

export const rewardRuleCreated = eventType(
  'reward_rule_created',
  1,
  changeable.extend({
    rule_id: id,
    trigger_event_id: id,
    reward_type: rewardType,
    /** A unit of the bot; null: the event's unit, or none. Earlier versions wrote null for fixed amounts without a unit. */
    unit_id: id.nullable(),
  }),
);

/** Has only the changed fields. They apply to events after it in the bot's log. */
export const rewardRuleChanged = eventType('reward_rule_changed', 1, changeable.partial().extend({ rule_id: id }));

export type RewardRule = DataOf<typeof rewardRuleCreated>;
export type RewardRuleChanges = Changes<Pick<RewardRule, 'name' | 'amount' | 'percent' | 'hold_days' | 'active'>>;
export type ProgramEvent = EventOf<typeof rewardRuleCreated | typeof rewardRuleChanged>;

/** Rules by id, in the order of their creation. */
export type ProgramState = ReadonlyMap<number, RewardRule>;

export const program = decider([rewardRuleCreated, rewardRuleChanged], (): ProgramState => new Map(), evolve);

function evolve(state: ProgramState, { type, data }: ProgramEvent): ProgramState {
  if (type === 'reward_rule_created') return new Map(state).set(data.rule_id, data);
  return new Map(state).set(data.rule_id, withChanges(state.get(data.rule_id)!, data));
}

/** The units and events that a rule may name. */
export interface RuleCatalog {
  /** Decimals of the bot's units, by unit id. */
  readonly scales: ReadonlyMap<number, number>;
  /** Whether the bot has an event type of this id. */
  readonly hasEvent: (eventId: number) => boolean;
}

export type CreateRule = Omit<RewardRule, 'active'>;

export function createRule(state: ProgramState, command: CreateRule, catalog: RuleCatalog): Decision<ProgramEvent> {
  if (state.has(command.rule_id)) return new Rejection('conflict', 'rule', `rule ${command.rule_id} exists`);
  if (!catalog.hasEvent(command.trigger_event_id))
    return new Rejection('not_found', 'trigger_event_id', `the bot has no event ${command.trigger_event_id}`);
  // A refund takes back what its payment earned.
  if (command.trigger_event_id === SYSTEM_EVENTS.refund)
    return new Rejection(
      'invalid',
      'trigger_event_id',
      'trigger_event_id must not be a refund: a refund earns nothing',
    );
  if (command.unit_id !== null && !catalog.scales.has(command.unit_id))
    return new Rejection('not_found', 'unit', `the bot has no unit ${command.unit_id}`);
  const rule: RewardRule = { ...command, active: true };
  return (
    ruleProblem(rule, catalog) ??
    percentProblem(command.percent) ?? [{ type: 'reward_rule_created', data: canonical(rule) }]
  );
}

/** Changes a rule. Records only the fields that differ. */
export function changeRule(
  state: ProgramState,
  ruleId: number,
  changes: RewardRuleChanges,
  catalog: Pick<RuleCatalog, 'scales'>,
): Decision<ProgramEvent> {
  const rule = state.get(ruleId);
  if (rule === undefined) return new Rejection('not_found', 'rule', `the bot has no rule ${ruleId}`);
  const wanted = withChanges<RewardRule>(rule, changes);
  // Earlier programs took any percent: such a rule can still be renamed or deactivated.
  const problem = ruleProblem(wanted, catalog) ?? percentProblem(changes.percent);
  if (problem !== undefined) return problem;
  const { name, amount, percent, hold_days, active } = canonical(wanted);
  const changed = differences(rule, { name, amount, percent, hold_days, active });
  return changed === undefined ? [] : [{ type: 'reward_rule_changed', data: { ...changed, rule_id: ruleId } }];
}

/** Decimals of an amount without a unit. */
export const SCALE_WITHOUT_UNIT = 2;
const MAX_DIGITS = 15;
/** A century, so that the end of a hold is a valid date. */
const MAX_HOLD_DAYS = 36_525;
const DECIMAL = /^\d+(\.\d+)?$/;

function ruleProblem(rule: RewardRule, { scales }: Pick<RuleCatalog, 'scales'>): Rejection | undefined {
  const { name, reward_type, amount, percent, unit_id, hold_days } = rule;
  const scale = unit_id === null ? SCALE_WITHOUT_UNIT : scales.get(unit_id)!;
  return (
    textProblem('name', name, MAX_NAME_LENGTH) ??
    presenceProblem('amount', amount, reward_type, 'fixed') ??
    presenceProblem('percent', percent, reward_type, 'percent') ??
    (amount === null ? undefined : decimalProblem('amount', amount, scale)) ??
    (percent === null ? undefined : decimalProblem('percent', percent)) ??
    decimalProblem('hold_days', hold_days) ??
    (new Big(hold_days).lte(MAX_HOLD_DAYS)
      ? undefined
      : new Rejection('invalid', 'hold_days', `hold days must be at most ${MAX_HOLD_DAYS}`))
  );
}

function presenceProblem(
  path: 'amount' | 'percent',
  value: string | null,
  given: RewardRule['reward_type'],
  wants: RewardRule['reward_type'],
): Rejection | undefined {
  if ((value !== null) === (given === wants)) return undefined;
  const verb = value === null ? 'needs' : 'has no';
  return new Rejection('invalid', path, `a rule of type ${given} ${verb} ${path}`);
}

/**
 * Checks an amount or a percent: a decimal from 0 of at most 15 significant digits.
 * @param scale largest number of decimals
 */
export function decimalProblem(path: string, text: string, scale?: number): Rejection | undefined {
  const invalid = (must: string): Rejection => new Rejection('invalid', path, `${path} must ${must}`);
  if (!DECIMAL.test(text)) return invalid('be a decimal from 0');
  if (text.length > 100) return invalid(`have at most ${MAX_DIGITS} significant digits`);
  const { c, e } = new Big(text);
  // Zeros before the point count as significant: they are digits of an amount that is paid.
  if (Math.max(c.length, e + 1) > MAX_DIGITS) return invalid(`have at most ${MAX_DIGITS} significant digits`);
  if (scale !== undefined && c.length - 1 - e > scale) return invalid(`have at most ${scale} decimals`);
  return undefined;
}

/** Checks that a decimal is at most 100 (decisions.md#owner-settings). */
export function percentProblem(percent: string | null | undefined): Rejection | undefined {
  if (percent === null || percent === undefined || new Big(percent).lte(100)) return undefined;
  return new Rejection('invalid', 'percent', 'percent must be at most 100');
}

/** The rule with decimals without superfluous zeros. */
function canonical(rule: RewardRule): RewardRule {
  const plain = (text: string | null): string | null => (text === null ? null : new Big(text).toFixed());
  const { amount, percent, hold_days } = rule;
  return { ...rule, amount: plain(amount), percent: plain(percent), hold_days: plain(hold_days)! };
}
