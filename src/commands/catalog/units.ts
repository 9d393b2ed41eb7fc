import { type BotEvent, bot, createCurrencyUnit, createUnit as decideCreateUnit } from '../../domain/catalog/bot.ts';
import type { AmountUnit } from '../../domain/referral/account/reward.ts';
import { botStream } from '../../domain/streams.ts';
import type { RecordedCommit } from '../../log/port.ts';
import type { CommandContext, CommandMeta, CommandResult } from '../decide-and-append.ts';
import { decideWithId } from '../reserve-ids.ts';
import { existingBot } from './change-bot.ts';

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
  const { events, position, repeated } = await decideWithId(
    context,
    'unit',
    bot,
    botStream(publicKey),
    (state, unit_id) => decideCreateUnit(state, { unit_id, ...unit }),
    meta,
  );
  return { unitId: createdBy(events).unit_id, position, repeated };
}

function createdBy(events: readonly BotEvent[]): AmountUnit {
  return events.find((event) => event.type === 'unit_created')!.data;
}

/** The id of the unit that a commit created. */
export const unitCreatedIn = ({ events }: RecordedCommit): number => createdBy(events.map(bot.read)).unit_id;

/**
 * Returns the bot's unit of a currency; creates it if there is none.
 *
 * Units are in the bot's stream, accruals in the referrer's account, and an append has one stream. So the unit comes
 * first, by a separate command that is safe to repeat: a code has one unit, however many callers create it. A crash
 * between the two leaves a unit without an accrual. It is in no balance, and the next accrual finds it. The other order
 * could leave amounts in a unit without a name.
 * @throws Rejection not_found: no such bot
 */
export async function ensureUnit(context: CommandContext, publicKey: string, code: string): Promise<AmountUnit> {
  let found: AmountUnit | undefined;
  const { events } = await decideWithId(context, 'unit', bot, botStream(publicKey), (state, unit_id) => {
    found = state.units.get(code);
    return found === undefined ? createCurrencyUnit(state, unit_id, code) : [];
  });
  return found ?? createdBy(events);
}
