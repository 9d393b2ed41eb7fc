import { type BotState, bot, createCurrencyUnit } from '../../domain/catalog/bot.ts';
import type { AmountUnit } from '../../domain/referral/account/reward.ts';
import { botStream } from '../../domain/streams.ts';
import { type CommandContext, decideAndAppend, load } from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';

/**
 * The bot's unit of a currency; made if there is none.
 *
 * Units stand in the bot's stream and accruals in the referrer's account, and an append is one stream. So the unit comes
 * first, by a command of its own that may be repeated: a code has one unit, whoever makes it. Whoever is killed between
 * the two leaves a unit without an accrual, which is in no balance, and the accrual finds it the next time. The other way
 * round there would be amounts in a unit that nobody can name.
 * @throws Rejection not_found: no such bot
 */
export async function ensureUnit(context: CommandContext, publicKey: string, code: string): Promise<AmountUnit> {
  const known = (state: BotState): AmountUnit | undefined => state.units.get(code);
  const before = known((await load(context.log, bot, botStream(publicKey))).state);
  if (before !== undefined) return before;
  const unit_id = await reserveId(context, 'unit');
  let found: AmountUnit | undefined;
  const { events } = await decideAndAppend(context, bot, botStream(publicKey), (state) => {
    found = known(state);
    return found === undefined ? createCurrencyUnit(state, unit_id, code) : [];
  });
  for (const { type, data } of events) if (type === 'unit_created') found = data;
  return found!;
}
