import { workerData } from 'node:worker_threads';
import { runProjectors } from './projectors.ts';
import { runThread, type ThreadData } from './run-thread.ts';

/**
 * The thread that projects and leads the log's index: a batch of thousands of events must not keep requests waiting. It has
 * the priority of the thread that answers them: requests wait for what it makes (ARCHITECTURE.md, "Priorities").
 */
const data = workerData as ThreadData;
await runThread('projectors', data, { mayLead: true }, (foundation, logger) =>
  runProjectors(foundation, data.config, logger),
);
