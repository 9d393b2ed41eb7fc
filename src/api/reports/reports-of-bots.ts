import type pg from 'pg';
import type { Config } from '../../config.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import { eventsManifest } from '../../projections/events/manifest.ts';
import { referralManifest } from '../../projections/referral/manifest.ts';
import { readModelLagMs } from '../../projections/runtime/read-model-lag.ts';
import type { ServedSchema } from '../../projections/served-schema.ts';
import { usersManifest } from '../../projections/users/manifest.ts';
import type { FindCellUsers, RunReport } from '../../queries/reports/run-report.ts';
import { savedSegmentSources } from '../saved-segments/find-saved-segments.ts';
import {
  type AnswerReport,
  answerReport,
  concurrencyLimit,
  type FindUsersOfCell,
  findUsersOfCell,
} from './answer-report.ts';
import { findNamedSegments } from './named-saved-segments.ts';

export interface ReportsOptions {
  readonly config: Pick<Config, 'REPORT_TIMEOUT_MS' | 'REPORT_CONCURRENCY'>;
  readonly pool: pg.Pool;
  readonly runReport: RunReport;
  readonly findCellUsers: FindCellUsers;
  readonly log: EventLog;
  readonly served: ServedSchema;
  readonly sources: Sources;
}

/** Reports as every endpoint runs them: with one limit for each key. */
export interface ReportsOfBots {
  readonly answer: AnswerReport;
  readonly findUsers: FindUsersOfCell;
}

export function reportsOfBots(options: ReportsOptions): ReportsOfBots {
  const { config, pool, runReport, findCellUsers, log, served, sources } = options;
  const limit = concurrencyLimit(config.REPORT_CONCURRENCY);
  const findNamed = findNamedSegments(savedSegmentSources({ pool, log, served }));
  return {
    answer: answerReport(
      async (asked, keyId) => runReport({ ...asked, ...(await situation()) }, keyId),
      limit,
      findNamed,
    ),
    findUsers: findUsersOfCell(
      async (asked, keyId) => findCellUsers({ ...asked, ...(await situation()) }, keyId),
      limit,
      findNamed,
    ),
  };

  async function situation() {
    const models = [eventsManifest, usersManifest, referralManifest] as const;
    const [events, users, referral] = await Promise.all(models.map(served));
    const tables = { events: events!, users: users!, referral: referral! };
    const lag = await readModelLagMs(log, pool, Object.values(tables));
    return { tables, now: sources.now(), lagMs: lag, timeoutMs: config.REPORT_TIMEOUT_MS };
  }
}
