import { Gauge, type Registry } from 'prom-client';
import type { WorkOnPartitions } from '../../log/partition-groups.ts';

/** Counts the partitions that this thread works on (decisions.md#metrics). @returns called when they change */
export function partitionMetrics(registry: Registry): (work: WorkOnPartitions) => void {
  const partitions = new Gauge({
    name: 'botledger_projection_partitions',
    help: 'Partitions of the log that this instance works on for a read model or a process',
    labelNames: ['projection', 'version'] as const,
    registers: [registry],
  });
  return ({ projection, version, partitions: count }) =>
    partitions.set({ projection, version: String(version) }, count);
}
