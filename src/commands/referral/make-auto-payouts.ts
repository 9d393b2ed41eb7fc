import { v5 } from 'uuid';
import { bot } from '../../domain/catalog/bot.ts';
import {
  type AutoPayoutSetting,
  autoPayouts,
  payoutsDue as due,
  payoutsMade as made,
} from '../../domain/referral/auto-payouts.ts';
import { Rejection } from '../../domain/rejection.ts';
import { autoPayoutsStream, botStream } from '../../domain/streams.ts';
import { type CommandContext, decideAndAppend, load } from '../decide-and-append.ts';
import type { Accounts } from './accounts.ts';
import { requestPayout } from './payouts.ts';

/** The time (milliseconds UTC) of the bot's automatic payouts that are due and not made; null: all are made. */
export async function payoutsDue({ log, sources }: CommandContext, publicKey: string): Promise<number | null> {
  const { state } = await load(log, autoPayouts, autoPayoutsStream(publicKey));
  const { commits } = await log.read(botStream(publicKey));
  const settings = commits.flatMap(({ at, events }): AutoPayoutSetting[] =>
    events.map(bot.read).flatMap((event) => {
      if (event.type !== 'bot_created' && event.type !== 'bot_changed') return [];
      const { auto_payout: when } = event.data;
      return when === undefined ? [] : [{ at, when }];
    }),
  );
  return due(settings, state, sources.now());
}

/** The name space of the command ids (RFC 9562, version 5); any UUID would do. */
const AUTO_PAYOUT = '5b0f1c0a-63f6-4c59-9d63-3a9d1f7f2a10';

/**
 * Requests an account's payout of a period. The command id is made of account and period, so a repeat requests nothing.
 * @param until the end of the period, milliseconds UTC
 */
export async function makeAutoPayout(accounts: Accounts, publicKey: string, userId: number, until: number) {
  const id = v5(`${publicKey} ${userId} ${new Date(until).toISOString()}`, AUTO_PAYOUT);
  const request = { bot: publicKey, userId, method: 'webhook', initiated_by: 'auto' } as const;
  try {
    await requestPayout(accounts, request, { command: { id } });
  } catch (error) {
    // Another request was faster, and has paid out the balance.
    if (!(error instanceof Rejection)) throw error;
  }
}

/** Records that all payouts of a period are requested. */
export async function payoutsMade(context: CommandContext, publicKey: string, until: number): Promise<void> {
  await decideAndAppend(context, autoPayouts, autoPayoutsStream(publicKey), (state) => made(state, until));
}
