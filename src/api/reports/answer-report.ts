import { finished } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { StatementTimeoutError } from '../../database/database-errors.ts';
import type { Warning } from '../../domain/problem.ts';
import { parseCell } from '../../domain/reports/cell.ts';
import { parseReport } from '../../domain/reports/parse-report.ts';
import { type ReportAnswer, ReportTooLargeError } from '../../queries/reports/answer.ts';
import { NoSuchCellError } from '../../queries/reports/breakdown-cells.ts';
import { ReportNotRunError } from '../../queries/reports/report-queue.ts';
import type { CellRequest, CellUsers, ReportRequest } from '../../queries/reports/run-report.ts';
import { principalOf } from '../access.ts';
import { ApiError, invalid, unavailable } from '../api-errors.ts';
import type { FindNamedSegments } from './named-saved-segments.ts';
import type { NoteAsked } from './note-asked.ts';

/** No limit of rows. */
export const ALL_ROWS = Number.MAX_SAFE_INTEGER;

export interface UncheckedReport {
  readonly bot: { readonly bot_id: number; readonly public_key: string; readonly timezone: string };
  /** An unchecked report_config. */
  readonly config: unknown;
  /** Most rows of the answer. */
  readonly rows: number;
  /** Corrects the path of a problem, if the caller sent the value elsewhere than in the config. */
  readonly placed?: <P extends Warning>(problem: P) => P;
}

/**
 * @throws ApiError 400 for a wrong config or too large a report, 429 for too many reports of the key at once, 502 for a
 * report that takes too long, 503 for one that no thread could start in time
 */
export type AnswerReport = (reply: FastifyReply, report: UncheckedReport) => Promise<ReportAnswer>;

interface UncheckedCell extends Omit<UncheckedReport, 'rows'> {
  /** An unchecked cell. */
  readonly cell: unknown;
}

/** Throws as {@link AnswerReport}, and ApiError 400 for a cell that the report does not have. */
export type FindUsersOfCell = (reply: FastifyReply, cell: UncheckedCell) => Promise<CellUsers>;

/** Runs a parsed report. The service adds the tables, the lag and the time limit. `bot`: its public key. */
type RunRequest = (
  request: Pick<ReportRequest, 'botId' | 'parsed' | 'savedSegments' | 'limit'>,
  bot: string,
  keyId: number,
) => Promise<ReportAnswer>;
type FindRequest = (
  request: Pick<CellRequest, 'botId' | 'parsed' | 'savedSegments' | 'cell'>,
  bot: string,
  keyId: number,
) => Promise<CellUsers>;

export function answerReport(
  run: RunRequest,
  limit: ConcurrencyLimit,
  findNamed: FindNamedSegments,
  noteAsked: NoteAsked,
): AnswerReport {
  return async (reply, { bot, config, rows, placed = unplaced }) => {
    const parsed = parseReport(config, bot.timezone);
    if (!parsed.ok) throw invalid(parsed.problems.map(placed));
    const { savedSegments, problems } = await findNamed(bot, parsed.savedSegments);
    if (problems.length > 0) throw invalid(problems.map(placed));
    noteAsked(bot.public_key, parsed.report.type, config);
    const { keyId } = principalOf(reply.request);
    const request = { botId: bot.bot_id, parsed, savedSegments, limit: rows };
    const answer = await limit(keyId, reply, () => run(request, bot.public_key, keyId)).catch(refuse);
    return { ...answer, meta: { ...answer.meta, warnings: answer.meta.warnings.map(placed) } };
  };
}

export function findUsersOfCell(
  find: FindRequest,
  limit: ConcurrencyLimit,
  findNamed: FindNamedSegments,
): FindUsersOfCell {
  return async (reply, { bot, config, cell: given, placed = unplaced }) => {
    const parsed = parseReport(config, bot.timezone);
    const problems = parsed.ok ? [] : parsed.problems.map(placed);
    const cell = parsed.ok ? parseCell(given, parsed.report, problems) : undefined;
    if (!parsed.ok || cell === undefined) throw invalid(problems);
    const named = await findNamed(bot, parsed.savedSegments);
    if (named.problems.length > 0) throw invalid(named.problems.map(placed));
    const { keyId } = principalOf(reply.request);
    const request = { botId: bot.bot_id, parsed, savedSegments: named.savedSegments, cell };
    return limit(keyId, reply, () => find(request, bot.public_key, keyId)).catch(refuse);
  };
}

function refuse(error: unknown): never {
  if (error instanceof ReportNotRunError) throw unavailable(error.message);
  if (error instanceof ReportTooLargeError) throw invalid([{ path: 'source_request', message: error.message }]);
  if (error instanceof NoSuchCellError) throw invalid([{ path: `cell.${error.key}`, message: error.message }]);
  if (!(error instanceof StatementTimeoutError)) throw error;
  throw new ApiError(502, `the report took longer than ${error.timeoutMs} ms: narrow the period`);
}

function unplaced<P extends Warning>(problem: P): P {
  return problem;
}

/**
 * Runs work for a key, unless the key has `max` works in progress. A work is in progress until it has ended and its answer
 * was sent or aborted: a caller that reads slowly keeps the answer in memory.
 * @throws ApiError 429
 */
type ConcurrencyLimit = <T>(keyId: number, reply: FastifyReply, work: () => Promise<T>) => Promise<T>;

export function concurrencyLimit(max: number): ConcurrencyLimit {
  const running = new Map<number, number>();
  return async (keyId, reply, work) => {
    const others = running.get(keyId) ?? 0;
    if (others >= max) throw new ApiError(429, `at most ${max} reports at once with one key`, [], 1);
    const worked = work();
    running.set(keyId, others + 1);
    const sent = new Promise<void>((resolve) => void finished(reply.raw, () => resolve()));
    void Promise.allSettled([worked, sent]).then(() => {
      const left = running.get(keyId)! - 1;
      if (left === 0) running.delete(keyId);
      else running.set(keyId, left);
    });
    return worked;
  };
}
