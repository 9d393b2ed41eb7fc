import { utcDate } from '../../domain/local-time.ts';
import { accrualsOf } from '../../queries/referral/accruals.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import type { AccountReads } from './account-reads.ts';
import { accrualsAnswer, exact } from './account-schemas.ts';
import { userPageQuery } from './schemas.ts';

/** GET /v1/referral/accruals: what a referrer has earned, what was reversed left out. */
export function accruals({ source, now }: AccountReads): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/accruals',
    operationId: 'listReferralAccruals',
    summary: "A referrer's accruals, newest first",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: userPageQuery,
    answer: accrualsAnswer,
    exact: true,
    async handle({ request, query: { user_id, ...page } }) {
      const rows = await accrualsOf(await source(), { bot: botOf(request).public_key, userId: user_id }, page, now());
      const accruals = rows.map(({ id, date, referral_id, amount, unit_id, status, available_at }) => ({
        id,
        date: utcDate(date),
        referral_id,
        amount: exact(amount),
        unit_id,
        status,
        available_at: available_at === null ? null : utcDate(available_at),
      }));
      return { ok: true, data: { accruals } };
    },
  });
}
