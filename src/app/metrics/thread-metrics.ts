import { performance } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { WorkOnPartitions } from '../../log/partition-groups.ts';
import type { AppliedBatch } from '../../projections/runtime/projector-options.ts';
import { type AppendMetrics, appendMetrics } from './append-metrics.ts';
import { elementsOf } from './element-metrics.ts';

/** The metrics of a registry, as another thread receives them. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The metrics of one thread. Each thread counts for itself; the thread that listens adds them up (decisions.md#metrics). */
export interface ThreadMetrics extends AppendMetrics {
  readonly registry: Registry;
  readonly onBatch: ReturnType<typeof batchMetrics>;
  readonly onPartitions: ReturnType<typeof partitionMetrics>;
}

/** @param thread `main`, or the work of a separate thread */
export function threadMetrics(thread: 'main' | 'projectors' | 'processes'): ThreadMetrics {
  const registry = new Registry();
  threadMemory(registry, (set) => {
    const { heapUsed, external } = process.memoryUsage();
    set({ thread, kind: 'heap' }, heapUsed);
    // Only of this thread, like the heap. It includes array buffers.
    set({ thread, kind: 'external' }, external);
  });
  threadActivity(registry, thread);
  return {
    registry,
    ...appendMetrics(registry),
    onBatch: batchMetrics(registry),
    onPartitions: partitionMetrics(registry),
  };
}

type SetMemory = (labels: { readonly thread: string; readonly kind: 'heap' | 'external' }, bytes: number) => void;

/** @param collect sets the values when they are asked for */
export function threadMemory(registry: Registry, collect: (set: SetMemory) => void): void {
  new Gauge({
    name: 'botledger_thread_memory_bytes',
    help: 'Memory by thread: heap, the objects of JavaScript; external, buffers and columns outside of it',
    labelNames: ['thread', 'kind'] as const,
    registers: [registry],
    collect() {
      collect((labels, bytes) => this.set(labels, bytes));
    },
  });
}

function threadActivity(registry: Registry, thread: string): void {
  let counted = 0;
  new Counter({
    name: 'botledger_thread_active_seconds_total',
    help: 'Time in which the thread was at work; a rate of 1 means that it never waits',
    labelNames: ['thread'] as const,
    registers: [registry],
    collect() {
      const { active } = performance.eventLoopUtilization();
      this.inc({ thread }, Math.max(0, active - counted) / 1000);
      counted = active;
    },
  });
}

/** Counts what this thread applies to read models (decisions.md#metrics). @returns called after each batch */
function batchMetrics(registry: Registry): (batch: AppliedBatch) => void {
  const registers = [registry];
  const labelNames = ['projection'] as const;
  const seconds = new Histogram({
    name: 'botledger_projection_batch_seconds',
    help: 'Time to write the rows of a batch of commits and the checkpoint',
    labelNames,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const commits = new Counter({
    name: 'botledger_projection_commits_total',
    help: 'Commits that a read model has applied',
    labelNames,
    registers,
  });
  const events = new Counter({
    name: 'botledger_projection_events_total',
    help: 'Events in these commits; each element of an intake request counts',
    labelNames,
    registers,
  });
  return ({ projection, commits: applied, ms }) => {
    seconds.observe({ projection }, ms / 1000);
    commits.inc({ projection }, applied.length);
    let elements = 0;
    for (const commit of applied) for (const event of commit.events) elements += elementsOf(event);
    events.inc({ projection }, elements);
  };
}

/** Counts the partitions that this thread works on (decisions.md#metrics). @returns called when they change */
function partitionMetrics(registry: Registry): (work: WorkOnPartitions) => void {
  const partitions = new Gauge({
    name: 'botledger_projection_partitions',
    help: 'Partitions of the log that this instance works on for a read model or a process',
    labelNames: ['projection', 'version'] as const,
    registers: [registry],
  });
  return ({ projection, version, partitions: count }) =>
    partitions.set({ projection, version: String(version) }, count);
}
