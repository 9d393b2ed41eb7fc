import { type BotState, bot, createCurrencyUnit, createUnit as decideCreateUnit } from '../../domain/catalog/bot.ts';
import type { AmountUnit } from '../../domain/referral/account/reward.ts';
import { botStream } from '../../domain/streams.ts';
import {
  type CommandContext,
  type CommandMeta,
  type CommandResult,
  decideAndAppend,
  load,
} from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';
import { existingBot } from './bots.ts';

export interface CreateUnit {
  readonly bot: string;
  readonly code: string;
  readonly name: string | null;
  /** Decimals of a normal unit; undefined: 2. */
  readonly scale?: number | undefined;
}

/** @throws Rejection */
export async function createUnit(
  context: CommandContext,
  { bot: publicKey, ...unit }: CreateUnit,
  meta: CommandMeta = {},
): Promise<{ readonly unitId: number } & Pick<CommandResult<unknown>, 'position' | 'repeated'>> {
  await existingBot(context.log, publicKey);
  const unit_id = await reserveId(context, 'unit');
  const { events, position, repeated } = await decideAndAppend(
    context,
    bot,
    botStream(publicKey),
    (state) => decideCreateUnit(state, { unit_id, ...unit }),
    meta,
  );
  // Of a repeat, the unit of the first time.
  const created = events.find((event) => event.type === 'unit_created');
  return { unitId: created!.data.unit_id, position, repeated };
}

/**
 * Returns the bot's unit of a currency; creates it if there is none.
 *
 * Units are in the bot's stream, accruals in the referrer's account, and an append has one stream. So the unit comes first,
 * by a command of its own that is safe to repeat: a code has one unit, however many callers create it. A crash between the
 * two leaves a unit without an accrual. It is in no balance, and the next accrual finds it. The other order could leave
 * amounts in a unit without a name.
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
