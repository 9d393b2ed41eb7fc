import type { AccountSource } from '../../queries/referral/account-source.ts';
import type { ReferralSource } from '../../queries/referral/attribution.ts';
import { ratesOf } from '../../queries/referral/rates.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import { exactOrNull, ratesAnswer } from './account-schemas.ts';
import { userQuery } from './schemas.ts';

/** GET /v1/referral/rates: what the bot's active rules earn a referrer. */
export function rates(source: () => Promise<AccountSource & ReferralSource>): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/rates',
    operationId: 'listReferralRates',
    summary: "What each active rule of the bot earns a referrer: the rate that was locked, else the rule's",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: userQuery,
    answer: ratesAnswer,
    exact: true,
    async handle({ request, query }) {
      const { bot_id, public_key } = botOf(request);
      const rows = await ratesOf(await source(), bot_id, { bot: public_key, userId: query.user_id });
      const rates = rows.map(({ reward_amount, reward_percent, ...row }) => ({
        ...row,
        reward_amount: exactOrNull(reward_amount),
        reward_percent: exactOrNull(reward_percent),
      }));
      return { ok: true, data: { rates } };
    },
  });
}
