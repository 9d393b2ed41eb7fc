import { utcDate } from '../../domain/local-time.ts';
import type { Reader } from '../../projections/reader.ts';
import { codesOf, referralsOf } from '../../queries/referral/find-attribution.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import { codeList, referralList, userPageQuery, userQuery } from './schemas.ts';

/** The bot's start link with a code as its start parameter; null when the bot has no username. */
export function linkOf({ username }: { readonly username: string | null }, code: string): string | null {
  return username === null ? null : `https://t.me/${username}?start=${code}`;
}

/** GET /v1/referral/codes: the codes that create-code made for a user, and the number of the user's referrals by any code. */
export function codes(db: Reader): AnyRoute {
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
      const { total_referrals, codes } = await codesOf(await db.at('referral'), bot.bot_id, query.user_id);
      const items = codes.map(({ code, date_create }) => ({
        code,
        link: linkOf(bot, code),
        date_create: utcDate(date_create),
      }));
      return { ok: true, data: { total_referrals, codes: items } };
    },
  });
}

/** GET /v1/referral/referrals: the users that a user referred. */
export function referrals(db: Reader): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/referrals',
    operationId: 'listReferrals',
    summary: 'The users that a user referred, newest first',
    tag: 'Referrals',
    access: { resource: 'required' },
    query: userPageQuery,
    answer: referralList,
    async handle({ request, query: { user_id, ...page } }) {
      const rows = await referralsOf(await db.at('referral'), botOf(request).bot_id, user_id, page);
      const referrals = rows.map(({ referral_id, date }) => ({ referral_id, date: utcDate(date) }));
      return { ok: true, data: { referrals } };
    },
  });
}
