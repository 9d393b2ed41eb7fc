import type { Config } from '../../config.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { readModelLagMs } from '../../projections/runtime/read-model-lag.ts';
import type { FindCellUsers, RunReport } from '../../queries/reports/run-report.ts';
import {
  type AnswerReport,
  answerReport,
  concurrencyLimit,
  type FindUsersOfCell,
  findUsersOfCell,
} from './answer-report.ts';
import { findNamedSegments } from './named-saved-segments.ts';
import type { NoteAsked } from './note-asked.ts';

export interface ReportsOptions {
  readonly config: Pick<Config, 'REPORT_TIMEOUT_MS' | 'REPORT_CONCURRENCY'>;
  readonly runReport: RunReport;
  readonly findCellUsers: FindCellUsers;
  readonly noteAsked: NoteAsked;
  readonly log: EventLog;
  readonly db: Reader;
  readonly sources: Sources;
}

/** Reports as every endpoint runs them: with one limit for each key. */
export interface ReportsOfBots {
  readonly answer: AnswerReport;
  readonly findUsers: FindUsersOfCell;
}

export function reportsOfBots(options: ReportsOptions): ReportsOfBots {
  const { config, runReport, findCellUsers, noteAsked, log, db, sources } = options;
  const limit = concurrencyLimit(config.REPORT_CONCURRENCY);
  const findNamed = findNamedSegments({ db, log });
  return {
    answer: answerReport(
      async (request, bot, keyId) => runReport({ ...request, ...(await situation(bot)) }, keyId),
      limit,
      findNamed,
      noteAsked,
    ),
    findUsers: findUsersOfCell(
      async (request, bot, keyId) => findCellUsers({ ...request, ...(await situation(bot)) }, keyId),
      limit,
      findNamed,
    ),
  };

  async function situation(bot: string) {
    const { pool, ...tables } = await db.at('events', 'users', 'referral');
    const lag = await readModelLagMs(log, pool, Object.values(tables), [bot]);
    return { tables, now: sources.now(), lagMs: lag, timeoutMs: config.REPORT_TIMEOUT_MS };
  }
}
