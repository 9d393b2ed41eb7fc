import { balanceOf } from '../../queries/referral/balance.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import type { AccountReads } from './account-reads.ts';
import { balanceAnswer, exact } from './account-schemas.ts';
import { userQuery } from './schemas.ts';

/** GET /v1/referral/balance: what a referrer has, by unit. */
export function balance({ source, now }: AccountReads): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/balance',
    operationId: 'getReferralBalance',
    summary: "A referrer's balance, a row for each unit with any accrual",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: userQuery,
    answer: balanceAnswer,
    exact: true,
    async handle({ request, query }) {
      const account = { bot: botOf(request).public_key, userId: query.user_id };
      const rows = await balanceOf(await source(), account, now());
      const balance = rows.map(({ unit_id, available, reserved, paid, on_hold }) => ({
        unit_id,
        available: exact(available),
        reserved: exact(reserved),
        paid: exact(paid),
        on_hold: exact(on_hold),
      }));
      return { ok: true, data: { balance } };
    },
  });
}
