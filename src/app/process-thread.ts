import { workerData } from 'node:worker_threads';
import { startProcesses } from './processes.ts';
import { runThread, type ThreadData } from './run-thread.ts';

/** The thread of the processes, so that thousands of accruals or messages keep no request waiting. */
const data = workerData as ThreadData;
// The projectors' thread leads the log's index.
await runThread('processes', data, { mayLead: false }, (foundation, logger) =>
  startProcesses(foundation, data.config, logger),
);
