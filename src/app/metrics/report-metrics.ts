import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Report } from '../../domain/reports/report.ts';
import type { ThreadUse } from '../report-thread.ts';
import { threadMemory } from './thread-metrics.ts';

/** How a report ended. `not_run`: all threads were busy for MAX_WAIT_MS. */
const RESULTS = ['answered', 'not_run', 'timeout', 'too_large', 'no_such_cell', 'failed'] as const;
export type ReportResult = (typeof RESULTS)[number];

/** Counts reports, in the thread that answers requests (decisions.md#metrics). */
export interface ReportMetrics {
  readonly registry: Registry;
  began(waitedMs: number): void;
  ended(type: Report['type'], result: ReportResult, ms: number): void;
  /** Takes in the memory and the cache of a thread up to now. */
  used(use: ThreadUse): void;
}

export interface ReportState {
  readonly running: number;
  readonly waiting: number;
  /** Ids of the threads that live. */
  readonly threads: readonly number[];
}

/** @param state asked for at each scrape */
export function reportMetrics(state: () => ReportState): ReportMetrics {
  const registry = new Registry();
  const registers = [registry];
  const seconds = new Histogram({
    name: 'botledger_report_seconds',
    help: 'Time of a report, with its wait, by type and result',
    labelNames: ['type', 'result'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  });
  const wait = new Histogram({
    name: 'botledger_report_wait_seconds',
    help: 'Time that a report waits for its turn',
    buckets: [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5],
    registers,
  });
  new Gauge({
    name: 'botledger_reports',
    help: 'Reports now, by state: running or waiting',
    labelNames: ['state'] as const,
    registers,
    collect() {
      const { running, waiting } = state();
      this.set({ state: 'running' }, running);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  /** By thread. A thread that has ended keeps its counts, so that sums never go down. */
  const uses = new Map<number, ThreadUse>();
  const chunks = new Counter({
    name: 'botledger_report_chunks_total',
    help: 'Chunks of events that reports read, by whether the cache had all columns: hit or miss',
    labelNames: ['cache'] as const,
    registers,
  });
  const living = (): ThreadUse[] => state().threads.flatMap((id) => uses.get(id) ?? []);
  const sum = (threads: readonly ThreadUse[], of: (use: ThreadUse) => number): number =>
    threads.reduce((total, use) => total + of(use), 0);
  new Gauge({
    name: 'botledger_report_cache_bytes',
    help: 'Columns in the caches of the report threads, after the last report of each',
    registers,
    collect() {
      this.set(sum(living(), ({ cache }) => cache.bytes));
    },
  });
  threadMemory(registry, (set) => {
    set(
      { thread: 'reports', kind: 'heap' },
      sum(living(), ({ heapBytes }) => heapBytes),
    );
    set(
      { thread: 'reports', kind: 'external' },
      sum(living(), ({ externalBytes }) => externalBytes),
    );
  });
  return {
    registry,
    began: (waitedMs) => wait.observe(waitedMs / 1000),
    ended: (type, result, ms) => seconds.observe({ type, result }, ms / 1000),
    used(use) {
      const before = uses.get(use.threadId)?.cache;
      chunks.inc({ cache: 'hit' }, use.cache.hits - (before?.hits ?? 0));
      chunks.inc({ cache: 'miss' }, use.cache.misses - (before?.misses ?? 0));
      uses.set(use.threadId, use);
    },
  };
}
