import type { FastifyRequest } from 'fastify';
import { validate } from 'uuid';
import { existingReport, reportEnds } from '../../commands/reports/save-report.ts';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { type BotRow, findBot, listResources } from '../../queries/catalog/bots.ts';
import { findSavedReport, type SavedReportRow } from '../../queries/reports/saved-reports.ts';
import { principalOf } from '../access.ts';
import { ApiError } from '../api-errors.ts';

export interface FindReportSources {
  readonly db: Reader;
  readonly log: EventLog;
}

interface ReportOfBot {
  readonly uuid: string;
  readonly bot: BotRow;
  /** Null: the report was deleted. */
  readonly report: SavedReportRow | null;
}

/**
 * Finds a saved report by its uuid, in the present state of its stream, and its bot. The request's access then has this
 * bot. The read model's row is used if its revision is current; else the stream is read.
 * @throws LogUnavailableError even if the read model has the report
 * @throws ApiError 404 if it is unknown, malformed, another owner's, or of a bot outside the key's scope
 */
export async function findReport(
  request: FastifyRequest,
  given: unknown,
  { db, log }: FindReportSources,
): Promise<ReportOfBot> {
  const uuid = uuidOf(given);
  if (uuid === undefined) throw unknownReport();
  const principal = principalOf(request);
  const { ownerId, scope } = principal;
  const row = await findSavedReport(await db.at('reports'), uuid);
  const bots =
    row === null
      ? (await listResources(await db.at('catalog'), ownerId, { type: 'all' })).map(({ resource_key }) => resource_key)
      : [row.public_key];
  const end = await reportEnds(log, bots, uuid);
  const bot = end === null ? null : await findBot(await db.at('catalog'), end.bot);
  if (end === null || bot === null || bot.owner_id !== ownerId) throw unknownReport();
  if (scope.type !== 'all' && !scope.bots.includes(bot.public_key)) throw unknownReport();
  // If the request names a bot, the report must be of that bot.
  const named = request.access?.bot?.public_key ?? bot.public_key;
  if (named !== bot.public_key) throw unknownReport();
  request.access = { principal, operator: null, bot };
  if (row !== null && row.revision >= end.revision) return { uuid, bot, report: row.report };
  const report = await existingReport(log, bot.public_key, uuid);
  return { uuid, bot, report: report && { uuid, public_key: bot.public_key, ...report } };
}

/** A uuid in the form in which it is stored. Undefined: the value is not a uuid. */
export function uuidOf(given: unknown): string | undefined {
  return typeof given === 'string' && validate(given) ? given.toLowerCase() : undefined;
}

export function unknownReport(): ApiError {
  const message = 'there is no such report';
  return new ApiError(404, message, [{ path: 'uuid', message }]);
}
