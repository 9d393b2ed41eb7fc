import { performance } from 'node:perf_hooks';
import { Counter, Gauge, Registry } from 'prom-client';
import { type AppendMetrics, appendMetrics } from './append-metrics.ts';
import { batchMetrics } from './batch-metrics.ts';
import { partitionMetrics } from './partition-metrics.ts';

/** The metrics of a registry, as another thread receives them. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The metrics of one thread. Each thread counts for itself; the thread that listens adds them up (decisions.md#metrics). */
export interface ThreadMetrics extends AppendMetrics {
  readonly registry: Registry;
  readonly onBatch: ReturnType<typeof batchMetrics>;
  readonly onPartitions: ReturnType<typeof partitionMetrics>;
}

/** @param thread `main`, or the work of a thread of its own */
export function threadMetrics(thread: 'main' | 'projectors' | 'processes'): ThreadMetrics {
  const registry = new Registry();
  threadMemory(registry, (set) => {
    const { heapUsed, external } = process.memoryUsage();
    set({ thread, kind: 'heap' }, heapUsed);
    // Of this thread alone, as the heap is. It includes array buffers.
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
