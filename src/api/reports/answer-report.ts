import type { FastifyReply } from 'fastify';
import type { Warning } from '../../domain/problem.ts';
import { parseReport } from '../../domain/reports/parse-report.ts';
import type { ReportAnswer } from '../../queries/reports/answer.ts';
import { ReportNotRunError } from '../../queries/reports/report-queue.ts';
import type { ReportTask } from '../../queries/reports/run-report.ts';
import { ReportTimeoutError } from '../../queries/reports/snapshot.ts';
import { ReportTooLargeError } from '../../queries/reports/too-large.ts';
import { principalOf } from '../access.ts';
import { ApiError, invalid, unavailable } from '../errors.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';

/** As many rows as a report has. */
export const ALL_ROWS = Number.MAX_SAFE_INTEGER;

export interface ReportQuestion {
  readonly bot: { readonly bot_id: number; readonly timezone: string };
  /** Not checked yet. */
  readonly config: unknown;
  /** At most this many rows. */
  readonly rows: number;
  /** Where the caller wrote what a problem is about, if not in its place in the config. */
  readonly placed?: <P extends Warning>(problem: P) => P;
}

/**
 * @throws ApiError 400 for a wrong or too large config, 429 with too many reports of the key at once, 502 for one that
 * takes too long, 503 for one whose turn did not come
 */
export type AnswerReport = (reply: FastifyReply, question: ReportQuestion) => Promise<ReportAnswer>;

/** What the service adds to a report that was asked for. */
export type RunAsked = (asked: Pick<ReportTask, 'botId' | 'parsed' | 'limit'>, keyId: number) => Promise<ReportAnswer>;

export function answerReport(runAsked: RunAsked, limit: ConcurrencyLimit): AnswerReport {
  return async (reply, { bot, config, rows, placed = unplaced }) => {
    const parsed = parseReport(config, bot.timezone);
    if (!parsed.ok) throw invalid(parsed.problems.map(placed));
    const asked = { botId: bot.bot_id, parsed, limit: rows };
    const { keyId } = principalOf(reply.request);
    try {
      const answer = await limit(keyId, reply, () => runAsked(asked, keyId));
      return { ...answer, meta: { ...answer.meta, warnings: answer.meta.warnings.map(placed) } };
    } catch (error) {
      if (error instanceof ReportNotRunError) throw unavailable(error.message);
      if (error instanceof ReportTooLargeError) throw invalid([{ path: 'source_request', message: error.message }]);
      if (!(error instanceof ReportTimeoutError)) throw error;
      throw new ApiError(502, `${error.message}: narrow the period`);
    }
  };
}

function unplaced<P extends Warning>(problem: P): P {
  return problem;
}
