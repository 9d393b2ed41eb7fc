import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { LosslessNumber } from 'lossless-json';
import { Piscina } from 'piscina';
import type { Config } from '../config.ts';
import { DatabaseUnavailableError, StatementTimeoutError } from '../database/database-errors.ts';
import { type Cell, type Column, type ReportAnswer, ReportTooLargeError } from '../queries/reports/answer.ts';
import { NoSuchCellError } from '../queries/reports/breakdown-cells.ts';
import { ReportNotRunError, reportQueue } from '../queries/reports/report-queue.ts';
import type { CellRequest, FindCellUsers, ReportRequest, RunReport } from '../queries/reports/run-report.ts';
import { type ActiveSpan, inSpan } from '../util/tracing.ts';
import { type ReportResult, reportMetrics } from './metrics/report-metrics.ts';
import type { MetricValues } from './metrics/thread-metrics.ts';
import type { ReportOutcome, ReportThreadAnswer, ReportThreadData, ReportThreadRequest } from './report-thread.ts';

/** Runs reports on other threads than the one that answers requests. */
export interface ReportThreads {
  readonly run: RunReport;
  readonly findUsers: FindCellUsers;
  /** Reports, their queue and their caches, for `/metrics`. */
  readonly metrics?: () => Promise<readonly MetricValues[]>;
  stop(): Promise<void>;
}

const MOST_THREADS = 4;
/** An idle thread ends after this time, and that frees its cache. */
const IDLE_MS = 10 * 60_000;
/** A thread is terminated if it still runs a report this long after the report's time limit. */
const GRACE_MS = 3000;

type ReportConfig = Pick<Config, 'LOG_LEVEL' | 'MAX_WAIT_MS' | 'REPORT_CACHE_MB' | 'REPORT_TIMEOUT_MS'>;

export function startReportThreads(connectionString: string, config: ReportConfig): ReportThreads {
  return new Threads(connectionString, config);
}

/** A pool of threads. The first report starts a thread; more threads start while reports wait. */
class Threads implements ReportThreads {
  private readonly threads: Piscina<ReportThreadRequest, ReportThreadAnswer>;
  private readonly queue: ReturnType<typeof reportQueue>;
  private readonly counts: ReturnType<typeof reportMetrics>;
  /** How many reports run. */
  private running = 0;

  constructor(connectionString: string, config: ReportConfig) {
    const maxThreads = Math.min(MOST_THREADS, availableParallelism());
    const workerData: ReportThreadData = {
      connectionString,
      maxWaitMs: config.MAX_WAIT_MS,
      longestMs: config.REPORT_TIMEOUT_MS,
      logLevel: config.LOG_LEVEL,
      cacheBytes: Math.floor((config.REPORT_CACHE_MB * 2 ** 20) / maxThreads),
    };
    this.threads = new Piscina({
      ...program('report-thread'),
      workerData,
      minThreads: 0,
      maxThreads,
      idleTimeout: IDLE_MS,
    });
    this.queue = reportQueue(maxThreads, config.MAX_WAIT_MS);
    this.counts = reportMetrics(() => ({
      running: this.running,
      waiting: this.queue.waiting,
      threads: this.threads.threads.map(({ threadId }) => threadId),
    }));
  }

  readonly run: RunReport = async (request, keyId) => {
    const outcome = await this.runAtTurn(request, keyId);
    if (outcome.type === 'answer') return restored(outcome.answer);
    throw errorOf(outcome, request);
  };

  readonly findUsers: FindCellUsers = async (request, keyId) => {
    const outcome = await this.runAtTurn(request, keyId);
    if (outcome.type === 'users') return outcome.users;
    throw errorOf(outcome, request);
  };

  readonly metrics = async (): Promise<MetricValues[]> => [await this.counts.registry.getMetricsAsJSON()];

  stop(): Promise<void> {
    return this.threads.destroy();
  }

  /** Runs a report at its turn. The measured time includes the wait. */
  private runAtTurn(request: ReportRequest | CellRequest, keyId: number): Promise<ReportOutcome> {
    const { type } = request.parsed.report;
    const attributes = { 'botledger.report.type': type };
    return inSpan(`report ${type}`, { kind: 'internal', attributes }, (span) => this.measured(request, keyId, span));
  }

  private async measured(
    request: ReportRequest | CellRequest,
    keyId: number,
    span: ActiveSpan,
  ): Promise<ReportOutcome> {
    const asked = performance.now();
    let result: ReportResult = 'failed';
    try {
      const outcome = await this.queue.run(keyId, async (leftMs) => {
        const waitedMs = performance.now() - asked;
        this.counts.began(waitedMs);
        span.set({ 'botledger.report.wait_ms': Math.round(waitedMs) });
        this.running++;
        return this.runInThread(request, leftMs).finally(() => this.running--);
      });
      result = RESULTS[outcome.type];
      return outcome;
    } catch (error) {
      if (error instanceof ReportNotRunError) result = 'not_run';
      throw error;
    } finally {
      span.set({ 'botledger.report.result': result });
      if (result !== 'answered' && result !== 'no_such_cell') span.fail(result);
      this.counts.ended(request.parsed.report.type, result, performance.now() - asked);
    }
  }

  /** Runs a report. Its time limit counts from when the thread begins it, since starting a thread also takes time. */
  private async runInThread(request: ReportRequest | CellRequest, beginWithinMs: number): Promise<ReportOutcome> {
    const end = new AbortController();
    const { port1: thread, port2: listener } = new MessageChannel();
    let hasBegun = false;
    let timer = setTimeout(() => end.abort(), beginWithinMs);
    thread.once('message', () => {
      hasBegun = true;
      clearTimeout(timer);
      timer = setTimeout(() => end.abort(), request.timeoutMs + GRACE_MS);
    });
    try {
      const given = { signal: end.signal, transferList: [listener] };
      const { outcome, use } = await this.threads.run({ request, listener }, given);
      this.counts.used(use);
      return outcome;
    } catch (error) {
      if (!end.signal.aborted) throw error;
      if (!hasBegun) throw new ReportNotRunError();
      return { type: 'timeout' };
    } finally {
      clearTimeout(timer);
      thread.close();
    }
  }
}

const RESULTS: Readonly<Record<ReportOutcome['type'], ReportResult>> = {
  answer: 'answered',
  users: 'answered',
  'no such cell': 'no_such_cell',
  timeout: 'timeout',
  'too large': 'too_large',
  'database down': 'failed',
};

/** The error of a report that has no result. */
function errorOf(outcome: ReportOutcome, { timeoutMs }: { readonly timeoutMs: number }): Error {
  switch (outcome.type) {
    case 'timeout':
      return new StatementTimeoutError(timeoutMs);
    case 'too large':
      return new ReportTooLargeError();
    case 'no such cell':
      return new NoSuchCellError(outcome.key, outcome.message);
    case 'database down':
      return new DatabaseUnavailableError(outcome.message);
    default:
      return new TypeError(`a report thread answered with ${outcome.type}`);
  }
}

/**
 * Restores LosslessNumbers: they arrive from another thread as plain objects. Changes the answer in place, since it has
 * no other user.
 */
function restored(answer: ReportAnswer): ReportAnswer {
  for (const row of answer.rows) restoreRow(row);
  return { ...answer, columns: answer.columns.map(restoredColumn) };
}

function restoredColumn(column: Column): Column {
  const { total, breakdown } = column;
  if (breakdown !== undefined) restoreRow(breakdown);
  return total === undefined ? column : { ...column, total: restoredCell(total) };
}

function restoreRow(row: Record<string, Cell>): void {
  for (const [key, cell] of Object.entries(row)) row[key] = restoredCell(cell);
}

function restoredCell(cell: Cell): Cell {
  return typeof cell === 'object' && cell !== null ? new LosslessNumber(cell.value) : cell;
}

/**
 * The file that a thread runs. From source, the thread has to register tsx itself: a thread of Node.js 20 does not
 * inherit it.
 */
function program(name: string): { readonly filename: string; readonly execArgv?: string[] } {
  if (extname(import.meta.url) === '.js') return { filename: fileURLToPath(new URL(`./${name}.js`, import.meta.url)) };
  const register = `import { register } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))}; register();`;
  const filename = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  return { filename, execArgv: ['--import', `data:text/javascript,${encodeURIComponent(register)}`] };
}
