import { v5 } from 'uuid';
import { bot } from '../../domain/catalog/bot.ts';
import { account } from '../../domain/referral/account/account.ts';
import {
  cancelPayout,
  confirmPayout,
  failPayout,
  payable,
  type RequestPayout as Request,
  requestPayout as request,
  retryPayout,
} from '../../domain/referral/account/payout.ts';
import type { AccountEvent } from '../../domain/referral/account/state.ts';
import {
  type AutoPayoutSetting,
  autoPayouts,
  payoutsDue as due,
  payoutsMade as made,
} from '../../domain/referral/auto-payouts.ts';
import { Rejection } from '../../domain/rejection.ts';
import { autoPayoutsStream, botStream } from '../../domain/streams.ts';
import type { RecordedCommit } from '../../log/port.ts';
import {
  type CommandContext,
  type CommandMeta,
  type CommandResult,
  decideAndAppend,
  load,
} from '../decide-and-append.ts';
import type { Accounts } from './accounts.ts';
import type { AccountKey } from './books.ts';

export type RequestPayout = AccountKey & Omit<Request, 'ids' | 'nonce'>;

/** Bytes of the random part of a `webhook-id`: with 64 bits, two payouts of the same id after a restore never share it. */
const NONCE_BYTES = 8;

/** The ids of the payouts that a request has made. */
export interface RequestedPayouts {
  /** The lowest of `payout_ids`. */
  readonly payout_id: number;
  readonly payout_ids: readonly number[];
}

/**
 * Requests payouts of the whole available balance, one for each unit.
 * @throws Rejection invalid: nothing is available
 */
export async function requestPayout(
  accounts: Accounts,
  { bot, userId, ...command }: RequestPayout,
  meta: CommandMeta = {},
): Promise<Pick<CommandResult<unknown>, 'position' | 'repeated'> & RequestedPayouts> {
  const nonce = Buffer.from(accounts.context.sources.randomBytes(NONCE_BYTES)).toString('hex');
  const { events, position, repeated } = await accounts.change(
    { bot, userId },
    {
      needs: { kind: 'payout', count: (state, now) => payable(state, command.unit_id, now).length },
      decide: (state, now, ids) => request(state, { ...command, ids, nonce }, now),
    },
    meta,
  );
  return { position, repeated, ...requestedBy(events) };
}

/** The result of the first request, for its repeat. */
export function requestedBefore(
  repeated: RecordedCommit,
): Pick<CommandResult<unknown>, 'position' | 'repeated'> & RequestedPayouts {
  return { position: repeated.position, repeated, ...requestedBy(repeated.events.map(account.read)) };
}

function requestedBy(events: readonly AccountEvent[]): RequestedPayouts {
  const payout_ids = events.flatMap((event) =>
    event.type === 'payout_requested' ? event.data.payouts.map(({ payout_id }) => payout_id) : [],
  );
  return { payout_id: payout_ids[0]!, payout_ids };
}

/** The actions of an administrator on a payout. */
export const PAYOUT_ACTIONS = ['confirm', 'fail', 'retry', 'cancel'] as const;
export type PayoutAction = (typeof PAYOUT_ACTIONS)[number];

const DECISIONS = { confirm: confirmPayout, fail: failPayout, retry: retryPayout, cancel: cancelPayout };

export interface AdministerPayout extends AccountKey {
  readonly payoutId: number;
  readonly action: PayoutAction;
  /** Cancel even though the client may have paid. */
  readonly force: boolean;
  /** Kept in the account's event; null: none is given, the default. */
  readonly reason?: string | null;
}

/** @throws Rejection not_found, or conflict: the payout's state does not allow it */
export function administerPayout(
  accounts: Accounts,
  { payoutId: payout_id, action, force, reason = null, ...key }: AdministerPayout,
  meta: CommandMeta = {},
): Promise<CommandResult<unknown>> {
  const change = { payout_id, force, reason };
  return accounts.change(key, { decide: (state, now) => DECISIONS[action](state, change, now) }, meta);
}

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
