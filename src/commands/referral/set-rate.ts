import { bot as botDecider } from '../../domain/catalog/bot.ts';
import { setRate as set } from '../../domain/referral/account/reward.ts';
import { program, SCALE_WITHOUT_UNIT } from '../../domain/referral/program.ts';
import { Rejection } from '../../domain/rejection.ts';
import { botStream, programStream } from '../../domain/streams.ts';
import { type CommandResult, load } from '../decide-and-append.ts';
import type { Accounts } from './accounts.ts';
import type { AccountKey } from './books.ts';

export interface SetRate extends AccountKey {
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
