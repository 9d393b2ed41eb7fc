import { utcDate } from '../../domain/local-time.ts';
import { codesOf, type ReferralSource } from '../../queries/referral/attribution.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import { linkOf } from './link.ts';
import { codeList, userQuery } from './schemas.ts';

/** GET /v1/referral/codes: those that create-code made for a user, and how many the user has referred altogether. */
export function codes(source: () => Promise<ReferralSource>): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/codes',
    operationId: 'listReferralCodes',
    summary: "A user's codes, newest first, and the number of the user's referrals",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: userQuery,
    answer: codeList,
    async handle({ request, query }) {
      const bot = botOf(request);
      const { total_referrals, codes } = await codesOf(await source(), bot.bot_id, query.user_id);
      const items = codes.map(({ code, date_create }) => ({
        code,
        link: linkOf(bot, code),
        date_create: utcDate(date_create),
      }));
      return { ok: true, data: { total_referrals, codes: items } };
    },
  });
}
