import { once } from 'node:events';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { migrateRuntimeSchema } from '../../src/database/runtime-schema.ts';
import type { Batch, EventLog, SubscribeOptions } from '../../src/log/port.ts';
import { catalogReadModel } from '../../src/projections/catalog/read-model.ts';
import { eventsReadModel } from '../../src/projections/events/read-model.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import { referralReadModel } from '../../src/projections/referral/read-model.ts';
import { runProjector, shareAmongProjectors } from '../../src/projections/runtime/projector.ts';
import type { ProjectorOptions } from '../../src/projections/runtime/projector-options.ts';
import { servedProgress, waitForReadModels } from '../../src/projections/runtime/wait-for-read-models.ts';
import { usersReadModel } from '../../src/projections/users/read-model.ts';
import { systemSources } from '../../src/util/system-sources.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import type { KafkaBroker } from './kafka-broker.ts';
import { createKafkaTestLog } from './kafka-log.ts';
import { readAll } from './log.ts';
import { memoryLog } from './memory-log.ts';
import { replayAll, rowsOf } from './replay.ts';

/** Several sets of projectors on one database, as several instances of the service have them. They stop with the test. */

export const WAIT_MS = 60_000;
const logger = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });

/** The projectors of one instance, and what they have read. */
interface Instance {
  readonly name: string;
  /** Partitions of the commits that its read models were given. */
  readonly delivered: Set<number>;
  stop(): Promise<void>;
}

interface StartOptions extends Partial<Pick<ProjectorOptions, 'onBadEvent' | 'divideFrom'>> {
  /** Its projectors read nothing before this. */
  readonly reads?: Promise<void>;
}

export interface Instances {
  readonly database: TestDatabase;
  readonly log: EventLog;
  start(name: string, models: readonly ReadModel[], options?: StartOptions): Instance;
  /** The instances that have groups of a share, by the number of their groups. */
  groups(share: string): Promise<Record<string, number>>;
  caughtUp(models: readonly ReadModel[]): Promise<void>;
  /** Ends an instance and leaves its leases as they are, with the holder `dead`. */
  died(name: string): Promise<void>;
}

async function instancesOn(
  database: TestDatabase,
  log: EventLog,
  cleanup: (() => Promise<unknown>)[],
): Promise<Instances> {
  const { pool } = database;
  await migrateRuntimeSchema(pool);
  const stops = new Map<string, () => Promise<void>>();
  return {
    database,
    log,
    start(name, models, { reads = Promise.resolve(), ...options } = {}) {
      const delivered = new Set<number>();
      const stopping = new AbortController();
      const shared = shareAmongProjectors(pool, name, logger);
      const subscribe = (wanted: SubscribeOptions) =>
        noting(log.subscribe(wanted), delivered, Promise.race([reads, aborted(wanted.signal)]));
      const running = models.map((model) =>
        runProjector({
          model,
          log: { ...log, subscribe },
          ...shared,
          logger,
          onBadEvent: 'stop',
          ...options,
          signal: stopping.signal,
        }),
      );
      const stop = async (): Promise<void> => {
        stopping.abort();
        await Promise.all(running);
      };
      cleanup.push(stop);
      stops.set(name, stop);
      return { name, delivered, stop };
    },
    async groups(share) {
      const { rows } = await pool.query<{ holder: string; count: number }>(
        `SELECT holder, count(*)::int FROM runtime.leases
          WHERE name ~ $1 AND expires_at > clock_timestamp() GROUP BY holder ORDER BY holder`,
        [`^${share}/\\d+$`],
      );
      return Object.fromEntries(rows.map(({ holder, count }) => [holder, count]));
    },
    async caughtUp(models) {
      const loads = models.map((model) => servedProgress(pool, model));
      expect(await waitForReadModels(loads, await log.endCursor(), { timeoutMs: WAIT_MS })).not.toBeNull();
    },
    async died(name) {
      // The instance finds its leases taken by another, and stops working on them.
      await pool.query(
        `UPDATE runtime.leases SET holder = 'dead', name = replace(name, '/member ' || $1, '/member dead') WHERE holder = $1`,
        [name],
      );
      await stops.get(name)!();
    },
  };
}

async function* noting(batches: AsyncIterable<Batch>, to: Set<number>, reads: Promise<unknown>) {
  await reads;
  for await (const batch of batches) {
    if (batch.commits.length > 0) to.add(batch.partition);
    yield batch;
  }
}

const aborted = async (signal: AbortSignal): Promise<unknown> => signal.aborted || once(signal, 'abort');

function stoppedWithTest(): (() => Promise<unknown>)[] {
  const cleanup: (() => Promise<unknown>)[] = [];
  onTestFinished(async () => {
    for (const stop of cleanup.reverse()) await stop();
  }, WAIT_MS);
  return cleanup;
}

export async function instancesInMemory(partitions: number): Promise<Instances> {
  const cleanup = stoppedWithTest();
  const database = await createTestDatabase();
  const log = memoryLog(partitions).open();
  cleanup.push(
    () => database.drop(),
    () => log.close(),
  );
  return instancesOn(database, log, cleanup);
}

export async function instancesOnKafka(broker: KafkaBroker, partitions: number): Promise<Instances> {
  const cleanup = stoppedWithTest();
  const kafka = await createKafkaTestLog(broker, `shared.${systemSources.uuid()}`);
  cleanup.push(() => kafka.destroy());
  const log = await kafka.open({ partitions, anyCategories: ['intake', 'referral'] });
  cleanup.push(() => log.close());
  return instancesOn(kafka.database, log, cleanup);
}

export async function expectReplayed({ database, log }: Instances, models: readonly ReadModel[]): Promise<void> {
  const categories = [...new Set(models.flatMap((model) => model.categories))];
  const commits = await readAll(log, { categories });
  const replayed = await replayAll(models, commits, log.keys);
  for (const model of models) expect(await rowsOf(database.pool, model), model.name).toEqual(replayed[model.name]);
}

/** Read models that several instances share in a test. */
export const SHARED_MODELS = [catalogReadModel, usersReadModel, eventsReadModel, referralReadModel];

/** An event that {@link notes} reads. */
export const NOTED = { type: 'custom_events_received', v: 1, data: { items: [{ event_id: 101, user_id: 7 }] } };

/** Records commits, and refuses some. */
export function notes(refused: ReadonlySet<string> = new Set()): ReadModel {
  return {
    name: 'notes',
    shape: 1,
    categories: ['intake'],
    isolatesBots: true,
    events: ['custom_events_received'],
    ddl: 'CREATE TABLE seen (commit_id uuid NOT NULL)',
    async apply(tx, commits) {
      for (const { id } of commits) {
        if (refused.has(id)) throw new TypeError('this commit cannot be taken');
        await tx.query('INSERT INTO seen VALUES ($1)', [id]);
      }
    },
  };
}
