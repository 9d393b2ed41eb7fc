import { utcDate } from '../../domain/local-time.ts';
import { type ReferralSource, referralsOf } from '../../queries/referral/attribution.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import { referralList, userPageQuery } from './schemas.ts';

/** GET /v1/referral/referrals: whom a user has referred. */
export function referrals(source: () => Promise<ReferralSource>): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/referrals',
    operationId: 'listReferrals',
    summary: 'Whom a user has referred, newest first',
    tag: 'Referrals',
    access: { resource: 'required' },
    query: userPageQuery,
    answer: referralList,
    async handle({ request, query: { user_id, ...page } }) {
      const rows = await referralsOf(await source(), botOf(request).bot_id, user_id, page);
      const referrals = rows.map(({ referral_id, date }) => ({ referral_id, date: utcDate(date) }));
      return { ok: true, data: { referrals } };
    },
  });
}
