import type pg from 'pg';
import type { Reader } from '../../projections/reader.ts';
import { findUsers } from '../../queries/reports/user-tables.ts';
import { searchUsers } from '../../queries/users/search-users.ts';
import { botOf } from '../access.ts';
import { failedCount } from '../api-errors.ts';
import { callerGone } from '../caller-gone.ts';
import type { DataAsOf } from '../data-as-of.ts';
import { wordsOf } from '../page.ts';
import { type AnyRoute, route } from '../route.ts';
import { listQuery, usersAnswer } from './schemas.ts';

const TIMEOUT_MS = 5000;

/** GET /v1/users/list (decisions.md#users-of-bot). @param counts connections only for counts */
export function list(db: Reader, counts: pg.Pool, asOf: DataAsOf): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/users/list',
    operationId: 'listUsers',
    summary: 'The users of the bot, found by name, username or id',
    tag: 'Reports',
    access: { resource: 'required', premium: true },
    query: listQuery,
    answer: usersAnswer,
    errors: [502],
    async handle({ request, reply, query: { search, ...page } }) {
      const bot = botOf(request);
      const table = await db.at('users');
      const data_as_of = await asOf([table.users], bot);
      const signal = callerGone(reply);
      const question = {
        ...page,
        words: wordsOf(search),
        botId: bot.bot_id,
        users: table.users,
        timeoutMs: TIMEOUT_MS,
        signal,
      };
      try {
        const { ids, total } = await searchUsers(counts, table.pool, question);
        return { ok: true, data: { items: await findUsers(table, bot, ids), total, data_as_of } };
      } catch (error) {
        throw failedCount(error, signal, 'searching the users');
      }
    },
  });
}
