import { type MessagePort, threadId, workerData } from 'node:worker_threads';
import { isDatabaseDown, StatementTimeoutError } from '../database/database-errors.ts';
import { createPool } from '../database/pool.ts';
import { type ReportAnswer, ReportTooLargeError } from '../queries/reports/answer.ts';
import { NoSuchCellError } from '../queries/reports/breakdown-cells.ts';
import { type CacheUse, createChunkCache } from '../queries/reports/chunk-cache.ts';
import {
  type CellRequest,
  type CellUsers,
  cellUsersFinder,
  type ReportRequest,
  reportRunner,
} from '../queries/reports/run-report.ts';
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
export interface ReportThreadRequest {
  readonly request: ReportRequest | CellRequest;
  /** Leads to the thread that listens. That thread gets a message when the report begins. */
  readonly listener: MessagePort;
}

/** The result of a report. Errors become data, since an error loses its class on the way to another thread. */
export type ReportOutcome =
  | { readonly type: 'answer'; readonly answer: ReportAnswer }
  | { readonly type: 'users'; readonly users: CellUsers }
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

/** The answer of a thread to a request. */
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
const runReport = reportRunner(pool, cache);
const findUsers = cellUsersFinder(pool, cache);

/** Runs one report. Reports have separate threads, so that reading millions of events does not make requests wait. */
export default async function runRequest({ request, listener }: ReportThreadRequest): Promise<ReportThreadAnswer> {
  const outcome = await outcomeOf(request, listener);
  const { heapUsed: heapBytes, external: externalBytes } = process.memoryUsage();
  return { outcome, use: { threadId, heapBytes, externalBytes, cache: cache.use } };
}

async function outcomeOf(request: ReportRequest | CellRequest, listener: MessagePort): Promise<ReportOutcome> {
  listener.postMessage('begun');
  try {
    if ('cell' in request) return { type: 'users', users: await findUsers(request) };
    return { type: 'answer', answer: await runReport(request) };
  } catch (error) {
    if (error instanceof NoSuchCellError) return { type: 'no such cell', key: error.key, message: error.message };
    if (error instanceof StatementTimeoutError) return { type: 'timeout' };
    if (error instanceof ReportTooLargeError) return { type: 'too large' };
    if (isDatabaseDown(error)) return { type: 'database down', message: (error as Error).message };
    throw error;
  } finally {
    listener.close();
  }
}
