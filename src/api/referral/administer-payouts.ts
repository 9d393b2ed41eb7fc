import type { z } from 'zod';
import type { Accounts } from '../../commands/referral/accounts.ts';
import { administerPayout, type PayoutAction } from '../../commands/referral/payouts.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import { change, OF_BOT } from '../settings/change-setting.ts';
import type { WaitForChange } from '../wait-for-change.ts';
import { cancelPayoutBody, changedPayoutAnswer, changePayoutBody, failPayoutBody } from './account-schemas.ts';
import { type PayoutLookup, payoutOfBot } from './payout-of-bot.ts';

export interface AdministerPayoutsOptions extends PayoutLookup {
  readonly accounts: Accounts;
  readonly waitForChange: WaitForChange;
}

/** The body of an action. `force`: of a cancellation. */
interface Given {
  readonly payout_id: number;
  readonly reason: string | null;
  readonly force?: boolean;
}

interface Action<B extends z.ZodType<Given>> {
  readonly action: PayoutAction;
  readonly summary: string;
  readonly body: B;
}

/** POST /v1/referral/payouts/confirm, fail, cancel and retry (decisions.md#administer-payouts). */
export function administerPayouts({ accounts, waitForChange, ...lookup }: AdministerPayoutsOptions): AnyRoute[] {
  const administer = <B extends z.ZodType<Given>>({ action, ...rest }: Action<B>): AnyRoute =>
    route({
      method: 'POST',
      url: `/v1/referral/payouts/${action}`,
      operationId: `${action}ReferralPayout`,
      ...rest,
      tag: 'Referrals',
      access: OF_BOT,
      answer: changedPayoutAnswer,
      idempotent: true,
      errors: [404, 409],
      async handle({ request, body }) {
        const { payout_id, reason, force = false }: Given = body;
        const bot = botOf(request).public_key;
        return change(request, waitForChange, {
          route: `referral/payouts/${action}`,
          async work(meta) {
            const name = await payoutOfBot(lookup, bot, payout_id);
            return administerPayout(accounts, { ...name, action, force, reason }, meta);
          },
          dataOf: () => ({ payout_id }),
          repeatOf: () => ({ payout_id }),
        });
      },
    });
  return [
    administer({
      action: 'confirm',
      summary: 'Record that a manual payout, or one that the client accepted, was paid',
      body: changePayoutBody,
    }),
    administer({
      action: 'fail',
      summary: 'Record that a payout that the client accepted was not paid',
      body: failPayoutBody,
    }),
    administer({
      action: 'cancel',
      summary: 'Cancel a new or failed payout. Its amount returns to the balance',
      body: cancelPayoutBody,
    }),
    administer({
      action: 'retry',
      summary: 'Announce a payout now that failed or waits for its next attempt',
      body: changePayoutBody,
    }),
  ];
}
