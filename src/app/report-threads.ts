import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { LosslessNumber } from 'lossless-json';
import { Piscina } from 'piscina';
import type { Config } from '../config.ts';
import { DatabaseUnavailableError } from '../database/errors.ts';
import { type Cell, type Column, type ReportAnswer, ReportTooLargeError } from '../queries/reports/answer.ts';
import { ReportNotRunError, reportQueue } from '../queries/reports/report-queue.ts';
import type { ReportTask, RunReport } from '../queries/reports/run-report.ts';
import { ReportTimeoutError } from '../queries/reports/snapshot.ts';
import type { ReportOutcome, ReportThreadData, ReportThreadTask } from './report-thread.ts';

/** Runs reports elsewhere than on the thread that answers requests. */
export interface ReportThreads {
  readonly run: RunReport;
  stop(): Promise<void>;
}

const MOST_THREADS = 4;
/** A thread that has had nothing to do for so long ends, and what it has kept goes with it. */
const IDLE_MS = 10 * 60_000;
/** A thread that does not end a report by itself, so long after its time, is ended. */
const GRACE_MS = 3000;

/** Starts a thread for the first report; more come when reports wait. */
export function startReportThreads(
  connectionString: string,
  config: Pick<Config, 'LOG_LEVEL' | 'MAX_WAIT_MS' | 'REPORT_CACHE_MB' | 'REPORT_TIMEOUT_MS'>,
): ReportThreads {
  const maxThreads = Math.min(MOST_THREADS, availableParallelism());
  const workerData: ReportThreadData = {
    connectionString,
    maxWaitMs: config.MAX_WAIT_MS,
    longestMs: config.REPORT_TIMEOUT_MS,
    logLevel: config.LOG_LEVEL,
    cacheBytes: Math.floor((config.REPORT_CACHE_MB * 2 ** 20) / maxThreads),
  };
  const threads = new Piscina<ReportThreadTask, ReportOutcome>({
    ...program('report-thread'),
    workerData,
    minThreads: 0,
    maxThreads,
    idleTimeout: IDLE_MS,
  });
  const queue = reportQueue(maxThreads, config.MAX_WAIT_MS);

  /** The time of a report counts from when the thread begins it: a thread that is started for it takes its time, too. */
  async function runInThread(task: ReportTask, beginWithinMs: number): Promise<ReportOutcome> {
    const end = new AbortController();
    const { port1: begins, port2: begun } = new MessageChannel();
    let hasBegun = false;
    let timer = setTimeout(() => end.abort(), beginWithinMs);
    begins.once('message', () => {
      hasBegun = true;
      clearTimeout(timer);
      timer = setTimeout(() => end.abort(), task.timeoutMs + GRACE_MS);
    });
    try {
      return await threads.run({ task, begun }, { signal: end.signal, transferList: [begun] });
    } catch (error) {
      if (!end.signal.aborted) throw error;
      if (!hasBegun) throw new ReportNotRunError();
      return { type: 'timeout' };
    } finally {
      clearTimeout(timer);
      begins.close();
    }
  }

  return {
    async run(task, keyId) {
      const outcome = await queue.run(keyId, (leftMs) => runInThread(task, leftMs));
      switch (outcome.type) {
        case 'answer':
          return revived(outcome.answer);
        case 'timeout':
          throw new ReportTimeoutError(task.timeoutMs);
        case 'too large':
          throw new ReportTooLargeError();
        case 'database down':
          throw new DatabaseUnavailableError(outcome.message);
      }
    },
    stop: () => threads.destroy(),
  };
}

/** Another thread sends numbers that a double may not hold as plain objects. Changes the answer in place: it has no other user. */
function revived(answer: ReportAnswer): ReportAnswer {
  for (const row of answer.rows) reviveRow(row);
  return { ...answer, columns: answer.columns.map(revivedColumn) };
}

function revivedColumn(column: Column): Column {
  const { total, breakdown } = column;
  if (breakdown !== undefined) reviveRow(breakdown);
  return total === undefined ? column : { ...column, total: revivedCell(total) };
}

function reviveRow(row: Record<string, Cell>): void {
  for (const [key, cell] of Object.entries(row)) row[key] = revivedCell(cell);
}

function revivedCell(cell: Cell): Cell {
  return typeof cell === 'object' && cell !== null ? new LosslessNumber(cell.value) : cell;
}

/** What runs in a thread; from its source by tsx, which does not get into threads by itself (Node.js 20). */
function program(name: string): { readonly filename: string; readonly execArgv?: string[] } {
  if (extname(import.meta.url) === '.js') return { filename: fileURLToPath(new URL(`./${name}.js`, import.meta.url)) };
  const register = `import { register } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))}; register();`;
  const filename = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  return { filename, execArgv: ['--import', `data:text/javascript,${encodeURIComponent(register)}`] };
}
