import { type MessagePort, threadId, workerData } from 'node:worker_threads';
import { isDatabaseDown } from '../database/errors.ts';
import { createPool } from '../database/pool.ts';
import { type ReportAnswer, ReportTooLargeError } from '../queries/reports/answer.ts';
import { NoSuchCellError } from '../queries/reports/breakdown.ts';
import { type CacheUse, createChunkCache } from '../queries/reports/chunk-cache.ts';
import {
  type CellTask,
  type CellUsers,
  cellUsersFinder,
  type ReportTask,
  reportRunner,
} from '../queries/reports/run-report.ts';
import { ReportTimeoutError } from '../queries/reports/snapshot.ts';
import { TeamBrokenError } from '../queries/reports/team.ts';
import { helpReport } from '../queries/reports/team-report.ts';
import { createLogger } from './logger.ts';

/** The worker data of a report thread. */
export interface ReportThreadData {
  readonly connectionString: string;
  readonly maxWaitMs: number;
  readonly longestMs: number;
  readonly logLevel: string;
  /** Memory for columns that the next report may need. */
  readonly cacheBytes: number;
}

/** One report for a thread to run, or a cell of one whose users it finds. */
export interface ReportThreadTask {
  readonly task: ReportTask | CellTask;
  /**
   * Leads to the thread that listens. It receives `begun` when the report begins, and `recruit` when there is work for other
   * threads, too. The answer to that is a list of ports, each to a thread that does a {@link HelpTask}.
   */
  readonly listener: MessagePort;
}

/** A part of a report of another thread. */
export interface HelpTask {
  readonly leader: MessagePort;
}

/** The result of a report. Errors become data, since an error loses its class on the way to another thread. */
export type ReportOutcome =
  | { readonly type: 'answer'; readonly answer: ReportAnswer }
  | { readonly type: 'users'; readonly users: CellUsers }
  | { readonly type: 'helped' }
  | { readonly type: 'no such cell'; readonly key: NoSuchCellError['key']; readonly message: string }
  | { readonly type: 'timeout' }
  | { readonly type: 'too large' }
  | { readonly type: 'database down'; readonly message: string };

/** The memory and the cache of a thread up to now. */
export interface ThreadUse {
  readonly threadId: number;
  readonly heapBytes: number;
  /** Outside of the heap: buffers and columns. */
  readonly externalBytes: number;
  readonly cache: CacheUse;
}

/** The answer of a thread to a task. */
export interface ReportThreadAnswer {
  readonly outcome: ReportOutcome;
  readonly use: ThreadUse;
}

const { connectionString, maxWaitMs, longestMs, logLevel, cacheBytes } = workerData as ReportThreadData;
const logger = await createLogger(logLevel);
const pool = createPool({
  connectionString,
  max: 1,
  name: 'reports',
  maxWaitMs,
  answerWithinMs: longestMs + maxWaitMs,
  onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
});
const cache = createChunkCache(cacheBytes);
const findUsers = cellUsersFinder(pool, cache);

/**
 * Runs one report. Reports have threads of their own, so that reading millions of events does not make requests wait.
 */
export default async function runTask(given: ReportThreadTask | HelpTask): Promise<ReportThreadAnswer> {
  const outcome = await ('leader' in given ? help(given.leader) : runReportTask(given));
  const { heapUsed: heapBytes, external: externalBytes } = process.memoryUsage();
  return { outcome, use: { threadId, heapBytes, externalBytes, cache: cache.use } };
}

async function runReportTask({ task, listener }: ReportThreadTask): Promise<ReportOutcome> {
  listener.postMessage('begun');
  try {
    if ('cell' in task) return { type: 'users', users: await findUsers(task) };
    const recruiting = { leastEvents: LEAST_EVENTS, recruit: () => recruitBy(listener) };
    return { type: 'answer', answer: await reportRunner(pool, cache, recruiting)(task) };
  } catch (error) {
    if (error instanceof NoSuchCellError) return { type: 'no such cell', key: error.key, message: error.message };
    if (error instanceof ReportTimeoutError) return { type: 'timeout' };
    if (error instanceof ReportTooLargeError) return { type: 'too large' };
    if (isDatabaseDown(error)) return { type: 'database down', message: (error as Error).message };
    throw error;
  } finally {
    listener.close();
  }
}

/** A second thread for fewer events costs a fifth more processor time, and saves a millisecond or two (docs/benchmarks.md). */
const LEAST_EVENTS = 2_500_000;

function recruitBy(listener: MessagePort): Promise<readonly MessagePort[]> {
  return new Promise((resolve) => {
    listener.once('message', resolve);
    listener.postMessage('recruit');
  });
}

/** The leader runs the report alone if this fails. */
async function help(leader: MessagePort): Promise<ReportOutcome> {
  try {
    await helpReport(pool, cache, leader);
  } catch (error) {
    if (!(error instanceof TeamBrokenError)) logger.warn({ err: error }, 'a part of a report failed');
  }
  return { type: 'helped' };
}
