import { Rejection } from '../../domain/rejection.ts';
import type { Reader } from '../../projections/reader.ts';
import { findPayout } from '../../queries/referral/payout-list.ts';
import type { FindCaughtUp } from '../find-caught-up.ts';

export interface PayoutLookup {
  readonly db: Reader;
  /** Waits for the read model of accounts. */
  readonly findCaughtUp: FindCaughtUp;
}

/** A payout's name in commands. @throws Rejection not_found: the bot has no such payout */
export async function payoutOfBot(
  { db, findCaughtUp }: PayoutLookup,
  bot: string,
  payoutId: number,
): Promise<{ readonly bot: string; readonly userId: number; readonly payoutId: number }> {
  const found = await findCaughtUp(bot, async () => findPayout(await db.at('accounts'), payoutId));
  if (found === null || found.bot !== bot)
    throw new Rejection('not_found', 'payout_id', `the bot has no payout ${payoutId}`);
  return { bot, userId: found.user_id, payoutId };
}
