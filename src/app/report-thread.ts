import { type MessagePort, workerData } from 'node:worker_threads';
import { isDatabaseDown } from '../database/errors.ts';
import { createPool } from '../database/pool.ts';
import { type ReportAnswer, ReportTooLargeError } from '../queries/reports/answer.ts';
import { createChunkCache } from '../queries/reports/chunk-cache.ts';
import { type ReportTask, reportRunner } from '../queries/reports/run-report.ts';
import { ReportTimeoutError } from '../queries/reports/snapshot.ts';
import { createLogger } from './logger.ts';

/** What a thread gets when it starts. */
export interface ReportThreadData {
  readonly connectionString: string;
  readonly maxWaitMs: number;
  readonly longestMs: number;
  readonly logLevel: string;
  /** For columns that the next report may need. */
  readonly cacheBytes: number;
}

/** What a thread is to do. */
export interface ReportThreadTask {
  readonly task: ReportTask;
  /** Gets a message when the thread begins. */
  readonly begun: MessagePort;
}

/** Errors do not pass from thread to thread as what they are. */
export type ReportOutcome =
  | { readonly type: 'answer'; readonly answer: ReportAnswer }
  | { readonly type: 'timeout' }
  | { readonly type: 'too large' }
  | { readonly type: 'database down'; readonly message: string };

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
const run = reportRunner(pool, createChunkCache(cacheBytes));

/** The thread that runs reports, one at a time: to walk millions of events must not keep requests waiting. */
export default async function runTask({ task, begun }: ReportThreadTask): Promise<ReportOutcome> {
  begun.postMessage('begun');
  begun.close();
  try {
    return { type: 'answer', answer: await run(task) };
  } catch (error) {
    if (error instanceof ReportTimeoutError) return { type: 'timeout' };
    if (error instanceof ReportTooLargeError) return { type: 'too large' };
    if (isDatabaseDown(error)) return { type: 'database down', message: (error as Error).message };
    throw error;
  }
}
