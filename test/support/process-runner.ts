import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { ANY_CATEGORIES } from '../../src/domain/streams.ts';
import { openPostgresLog } from '../../src/log/postgres/postgres-log.ts';
import { processesOf } from '../../src/processes/process-registry.ts';
import { runProcesses } from '../../src/processes/run-processes.ts';
import { systemSources } from '../../src/util/system-sources.ts';

/** A program that runs one process of the service, until it is killed. */

export interface RunnerTask {
  readonly connectionString: string;
  /** Its name in the registry. */
  readonly process: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How far the clock of the process is ahead, in milliseconds. */
  readonly ahead?: number;
}

const { connectionString, process: name, env = {}, ahead = 0 } = JSON.parse(process.argv[2]!) as RunnerTask;
const found = processesOf({ PROOF: 'on' }).find((each) => each.name === name)!;
const pool = new pg.Pool({ connectionString });
const log = await openPostgresLog({ connectionString, anyCategories: ANY_CATEGORIES });
const context = {
  ...{ log, pool, instance: randomUUID(), config: readConfig(env), logger: pino(pino.destination(2)) },
  sources: { ...systemSources, now: () => Date.now() + ahead },
};
process.stdout.write('runs\n');
await runProcesses(context, [{ ...found, instances: 'all' }], new AbortController().signal);
