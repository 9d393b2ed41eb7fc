import type { Reader } from '../../projections/reader.ts';
import { userProfile } from '../../queries/users/user-profile.ts';
import { botOf } from '../access.ts';
import { ApiError } from '../api-errors.ts';
import type { DataAsOf } from '../data-as-of.ts';
import type { FindCaughtUp } from '../find-caught-up.ts';
import { type AnyRoute, route } from '../route.ts';
import { getQuery, userAnswer } from './schemas.ts';

/** GET /v1/users/get (decisions.md#users-of-bot). */
export function get(db: Reader, findCaughtUp: FindCaughtUp, asOf: DataAsOf): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/users/get',
    operationId: 'getUser',
    summary: 'What the bot knows of a user: profile, custom fields, first visit, who brought them',
    tag: 'Reports',
    access: { resource: 'required', premium: true },
    query: getQuery,
    answer: userAnswer,
    exact: true,
    async handle({ request, query: { user_id } }) {
      const bot = botOf(request);
      const tables = await db.at('users', 'referral');
      const data_as_of = await asOf([tables.users, tables.referral], bot);
      const found = await findCaughtUp(bot.public_key, async () =>
        userProfile(await db.at('users', 'referral'), bot, user_id),
      );
      if (found === null) throw new ApiError(404, `User with id ${user_id} was not found`);
      return { ok: true, data: { ...found, data_as_of } };
    },
  });
}
