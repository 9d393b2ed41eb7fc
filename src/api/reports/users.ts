import type { Problem } from '../../domain/problem.ts';
import { isJsonObject, property, safeInteger } from '../../domain/storable-json.ts';
import { findUsers } from '../../queries/reports/user-tables.ts';
import { invalid } from '../api-errors.ts';
import { type AnyRoute, route } from '../route.ts';
import type { FindUsersOfCell } from './answer-report.ts';
import type { FindReportSources } from './find-report.ts';
import { checkNamed, namedReport } from './run.ts';
import { USERS_LIMIT, type UsersRequest, usersAnswer, usersBody } from './users-schemas.ts';

/** POST /v1/reports/users (decisions.md#report-cells): the users behind a number of a report. */
export function usersBehind(find: FindUsersOfCell, sources: FindReportSources): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/reports/users',
    operationId: 'listReportUsers',
    summary: 'The users behind a number of a report',
    tag: 'Reports',
    access: { resource: 'without-uuid', premium: true },
    body: usersBody,
    check: checkUsers,
    answer: usersAnswer,
    errors: [502],
    async handle({ request, reply, body }) {
      const { limit, offset } = body;
      const question = await namedReport(request, body, sources);
      const { ids, data_as_of } = await find(reply, { ...question, cell: body.cell });
      const page = [...ids.subarray(offset!, offset! + limit!)];
      const users = await findUsers(await sources.db.at('users'), question.bot, page);
      return { ok: true, data: { count: ids.length, users, data_as_of } };
    },
  });
}

/** @throws ApiError 400 */
function checkUsers(body: unknown): UsersRequest {
  const given = isJsonObject(body) ? body : {};
  const problems: Problem[] = [];
  const named = checkNamed(given, problems);
  const integer = (key: string, { min, max, byDefault }: typeof USERS_LIMIT): number => {
    const value = safeInteger(property(given, key) ?? byDefault);
    if (value !== undefined && value >= min && value <= max) return value;
    const bounds = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `${min} to ${max}`;
    problems.push({ path: key, message: `expected an integer, ${bounds}` });
    return byDefault;
  };
  const limit = integer('limit', USERS_LIMIT);
  const offset = integer('offset', { min: 0, max: Number.MAX_SAFE_INTEGER, byDefault: 0 });
  if (problems.length > 0) throw invalid(problems);
  return { ...named, cell: property(given, 'cell'), limit, offset };
}
