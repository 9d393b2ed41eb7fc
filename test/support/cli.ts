import { Writable } from 'node:stream';
import type pg from 'pg';
import { runCli } from '../../src/cli/cli-program.ts';
import type { Change, Destinations } from '../../src/cli/command.ts';
import { ReadModelWaitTimeoutError } from '../../src/cli/command.ts';
import { migrateRuntimeSchema } from '../../src/database/runtime-schema.ts';
import { catalogReadModel } from '../../src/projections/catalog/read-model.ts';
import { loadReadModel } from '../../src/projections/load-read-model.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import { MANIFESTS } from '../../src/projections/registry.ts';
import { createTestDatabase } from './database.ts';
import { type MemoryLog, memoryLog } from './memory-log.ts';
import { follow } from './projection.ts';
import { firstReader } from './read-model-tables.ts';
import { type TestSources, testSources } from './test-sources.ts';

export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface TestCli {
  readonly log: MemoryLog;
  readonly sources: TestSources;
  /** The database of the read models. */
  readonly pool: pg.Pool;
  /** The changes that the commands waited for. */
  readonly changes: readonly Change[];
  /** The changes that imports waited for to keep their pace. */
  readonly paced: readonly Change[];
  /** From now on the read model is followed. */
  follow(model: ReadModel): Promise<void>;
  /** From now on no read model catches up. */
  stall(): void;
  run(...argv: string[]): Promise<CliRun>;
  /** Runs a command whose standard output is this one. */
  runInto(standardOutput: Writable, ...argv: string[]): Promise<CliRun>;
  /** The data that the last command wrote to its standard output besides the answer. */
  data(): Buffer;
  /** Runs a command with --json. The command must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json(...argv: string[]): Promise<any>;
  close(): Promise<void>;
}

const NO_DESTINATIONS: Destinations = {
  clickHouseUrl: undefined,
  s3: { url: undefined, region: 'r', accessKeyId: undefined, secretAccessKey: undefined },
};

/** The CLI in this process, on a log in memory and a catalog in a new database. */
export async function startTestCli(destinations: Destinations = NO_DESTINATIONS): Promise<TestCli> {
  const database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
  const log = memoryLog(3);
  const sources = testSources();
  const catchUp = await follow(database.pool, catalogReadModel, log);
  const followed = new Map([[catalogReadModel.name, catchUp]]);
  const tables = firstReader(database.pool);
  const changes: Change[] = [];
  const paced: Change[] = [];
  let stalled = false;
  let data: Buffer[] = [];

  async function run(...argv: string[]): Promise<CliRun> {
    data = [];
    const kept = new Writable({
      write(chunk: Buffer, _encoding, done) {
        data.push(chunk);
        done();
      },
    });
    return runInto(kept, ...argv);
  }

  async function runInto(standardOutput: Writable, ...argv: string[]): Promise<CliRun> {
    const output = { out: '', err: '' };
    const code = await runCli(argv, {
      stdout: (text) => {
        output.out += text;
      },
      stderr: (text) => {
        output.err += text;
      },
      examine: async () => [],
      planUpgrade: () => Promise.reject(new Error('not asked for')),
      withContext: (work) =>
        work({
          log,
          sources,
          pool: database.pool,
          manifests: MANIFESTS,
          projector: () => {
            throw new Error('no command on a log in memory projects anything');
          },
          openLog: () => Promise.reject(new Error('there is no other log')),
          signal: new AbortController().signal,
          waitForSwitch: async () => {},
          progress: () => {},
          notice: (line) => {
            output.err += `${line}\n`;
          },
          destinations,
          standardOutput,
          allowedNetworks: [],
          checkpointKey: undefined,
          witnessPolicy: undefined,
          yieldToService: async () => {},
          async at(...names) {
            for (const name of names.filter((each) => each !== 'catalog')) {
              const follows = followed.get(name) ?? (await follow(database.pool, await loadReadModel(name), log));
              followed.set(name, follows);
              await follows();
            }
            return tables.at(...names);
          },
          async applied(change) {
            paced.push(change);
            return !stalled;
          },
          async answering(name) {
            const follows = followed.get(name);
            await follows?.();
            return follows === undefined ? null : tables.at(name);
          },
          async waitForReadModels(change) {
            changes.push(change);
            if (stalled) throw new ReadModelWaitTimeoutError(10);
            await catchUp();
          },
        }),
    });
    return { code, ...output };
  }

  return {
    log,
    sources,
    pool: database.pool,
    changes,
    paced,
    async follow(model) {
      followed.set(model.name, await follow(database.pool, model, log));
    },
    run,
    runInto,
    data: () => Buffer.concat(data),
    stall() {
      stalled = true;
    },
    async json(...argv) {
      const { code, out, err } = await run(...argv, '--json');
      if (code !== 0) throw new Error(`${argv.join(' ')}: exit ${code}, ${err}`);
      return JSON.parse(out) as unknown;
    },
    close: () => database.drop(),
  };
}
