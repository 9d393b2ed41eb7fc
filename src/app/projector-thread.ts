import { workerData } from 'node:worker_threads';
import { runProjectors } from './projectors.ts';
import { runThread, type ThreadData } from './run-thread.ts';

/**
 * The thread that projects and leads the log's index: a batch of thousands of events must not make requests wait. It has
 * the priority of the thread that answers them, since requests wait for read models
 * (docs/adr/0014-all-threads-have-the-same-priority.md).
 */
const data = workerData as ThreadData;
await runThread('projectors', data, { mayLead: true }, (foundation, logger) =>
  runProjectors(foundation, data.config, logger),
);
