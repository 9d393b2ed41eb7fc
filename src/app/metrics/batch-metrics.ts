import { Counter, Histogram, type Registry } from 'prom-client';
import type { AppliedBatch } from '../../projections/runtime/projector-options.ts';
import { elementsOf } from './elements.ts';

/** Counts what this thread applies to read models (decisions.md#metrics). @returns called after each batch */
export function batchMetrics(registry: Registry): (batch: AppliedBatch) => void {
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
