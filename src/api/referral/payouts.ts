import { utcDate } from '../../domain/local-time.ts';
import { payoutsOf } from '../../queries/referral/payouts.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import type { AccountReads } from './account-reads.ts';
import { exact, payoutsAnswer } from './account-schemas.ts';
import { userPageQuery } from './schemas.ts';

/** GET /v1/referral/payouts: what a referrer has had paid out, or asked for. */
export function payouts({ source }: AccountReads): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/payouts',
    operationId: 'listReferralPayouts',
    summary: "A referrer's payouts, newest first",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: userPageQuery,
    answer: payoutsAnswer,
    exact: true,
    async handle({ request, query: { user_id, ...page } }) {
      const rows = await payoutsOf(await source(), { bot: botOf(request).public_key, userId: user_id }, page);
      const payouts = rows.map(({ payout_id, amount, unit_id, status, method, initiated_by, ...dates }) => ({
        payout_id,
        amount: exact(amount),
        unit_id,
        status,
        method,
        initiated_by,
        requested_at: utcDate(dates.requested_at),
        processed_at: dates.processed_at === null ? null : utcDate(dates.processed_at),
      }));
      return { ok: true, data: { payouts } };
    },
  });
}
