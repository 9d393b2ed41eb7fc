import type { Accounts } from '../../commands/referral/accounts.ts';
import { requestedBefore, requestPayout } from '../../commands/referral/payouts.ts';
import { botOf, principalOf } from '../access.ts';
import { underKey } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import type { WaitForChange } from '../wait-for-change.ts';
import { payoutAnswer, payoutBody } from './account-schemas.ts';

/** POST /v1/referral/payout: requests payouts of the whole available balance. */
export function payout(accounts: Accounts, waitForChange: WaitForChange): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/referral/payout',
    operationId: 'requestReferralPayout',
    summary: 'Request a payout of all that is available, one for each unit',
    tag: 'Referrals',
    access: { resource: 'required' },
    body: payoutBody,
    answer: payoutAnswer,
    idempotent: true,
    async handle({ request, body: { user_id: userId, unit_id, method } }) {
      const bot = botOf(request).public_key;
      const { keyId } = principalOf(request);
      return underKey(
        request,
        'referral/payout',
        async (command, first) =>
          first === null
            ? requestPayout(accounts, { bot, userId, unit_id, method, initiated_by: 'api' }, { keyId, command })
            : requestedBefore(first),
        async ({ position, payout_id, payout_ids }) => {
          const seen = await waitForChange(request, position);
          return { ok: true, data: { payout_id, payout_ids }, ...(seen ? {} : { lagging: true }) };
        },
      );
    },
  });
}
