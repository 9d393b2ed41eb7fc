import type { FastifyRequest } from 'fastify';
import { validate } from 'uuid';
import { type BotRow, findBot } from '../../queries/catalog/bots.ts';
import type { CatalogSource } from '../../queries/catalog/source.ts';
import { findSavedReport, type SavedReportRow, type SavedReportsSource } from '../../queries/report/saved-reports.ts';
import { principalOf } from '../access.ts';
import { ApiError } from '../errors.ts';

export interface FindReportSources {
  readonly catalog: () => Promise<CatalogSource>;
  readonly reports: () => Promise<SavedReportsSource>;
}

export interface ReportOfBot {
  readonly uuid: string;
  readonly bot: BotRow;
  /** Null: it was deleted. */
  readonly report: SavedReportRow | null;
}

/**
 * The saved report that a caller names, and its bot, on which the request acts from here on.
 * @throws ApiError 404 unknown, malformed or another owner's; 403 of a bot outside the key's scope
 */
export async function findReport(
  request: FastifyRequest,
  given: unknown,
  { catalog, reports }: FindReportSources,
): Promise<ReportOfBot> {
  const uuid = uuidOf(given);
  const found = uuid === undefined ? null : await findSavedReport(await reports(), uuid);
  const bot = found === null ? null : await findBot(await catalog(), found.public_key);
  const principal = principalOf(request);
  if (uuid === undefined || found === null || bot === null || bot.owner_id !== principal.ownerId) throw unknownReport();
  const { scope } = principal;
  if (scope.type !== 'all' && !scope.bots.includes(bot.public_key))
    throw new ApiError(403, 'this key cannot access this resource');
  // Who names a bot asks for a report of that bot.
  const named = request.access?.bot?.public_key ?? bot.public_key;
  if (named !== bot.public_key) throw unknownReport();
  request.access = { principal, bot };
  return { uuid, bot, report: found.report };
}

/** A uuid as it is stored; undefined for whatever is none. */
export function uuidOf(given: unknown): string | undefined {
  return typeof given === 'string' && validate(given) ? given.toLowerCase() : undefined;
}

export function unknownReport(): ApiError {
  const message = 'there is no such report';
  return new ApiError(404, message, [{ path: 'uuid', message }]);
}
