import { isoWithOffset } from '../../domain/local-time.ts';
import type { Problem } from '../../domain/problem.ts';
import { bucketStarts } from '../../domain/reports/buckets.ts';
import { periodOf } from '../../domain/reports/parse-report.ts';
import type { Reader } from '../../projections/reader.ts';
import { newUsers as count } from '../../queries/users/users-of-bot.ts';
import { botOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import type { DataAsOf } from '../data-as-of.ts';
import { type AnyRoute, route } from '../route.ts';
import { newUsersAnswer, newUsersQuery } from './schemas.ts';

const KEYS = { from: ['date_from', 'date_from'], to: ['date_to', 'date_to'] } as const;
const MAX_DAYS = 366;

/** GET /v1/reports/new-users (decisions.md#new-users). */
export function newUsers(db: Reader, asOf: DataAsOf): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/reports/new-users',
    operationId: 'countNewUsers',
    summary: 'How many users of the bot are new, by day',
    tag: 'Reports',
    access: { resource: 'required', premium: true },
    query: newUsersQuery,
    answer: newUsersAnswer,
    async handle({ request, query }) {
      const { bot_id, timezone } = botOf(request);
      const problems: Problem[] = [];
      const period = periodOf(KEYS, query, timezone, problems);
      if (period === undefined) throw invalid(problems);
      const starts = bucketStarts(period, 'day', MAX_DAYS);
      if (starts === undefined) throw invalid([{ path: 'date_from', message: `at most ${MAX_DAYS} days` }]);
      const tables = await db.at('users');
      const data_as_of = await asOf([tables.users], botOf(request));
      const counts = await count(tables, bot_id, period, starts);
      const days = starts.map((start, index) => ({ date: isoWithOffset(start, timezone), users: counts[index]! }));
      const total = counts.reduce((sum, users) => sum + users, 0);
      return { ok: true, data: { days, total, data_as_of } };
    },
  });
}
