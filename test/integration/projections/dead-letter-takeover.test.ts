import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { decideLetter } from '../../../src/administration/dead-letter-work.ts';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { customEventsReceived } from '../../../src/domain/intake/intake-events.ts';
import { projectionStream } from '../../../src/domain/streams.ts';
import type { RecordedCommit } from '../../../src/log/port.ts';
import type { ReadModel } from '../../../src/projections/read-model.ts';
import { CheckpointTakenError, type Target } from '../../../src/projections/runtime/apply.ts';
import { BadCommitError } from '../../../src/projections/runtime/bad-commit.ts';
import { recordStop, retryDeadLetters } from '../../../src/projections/runtime/bad-events.ts';
import { loadCheckpoint, lockCheckpoint, moveCheckpoints } from '../../../src/projections/runtime/checkpoint.ts';
import { letterId } from '../../../src/projections/runtime/dead-letters.ts';
import { createVersion, findVersion } from '../../../src/projections/runtime/versions.ts';
import { Writer } from '../../../src/projections/runtime/writer.ts';
import { pause } from '../../../src/util/pause.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { newCommit } from '../../support/log.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { firstSchema } from '../../support/read-model-tables.ts';

/** Two projectors of one version while one takes over: one refuses a commit that the other applies. */

const counts: ReadModel = {
  name: 'counts',
  shape: 1,
  categories: ['intake'],
  events: ['custom_events_received'],
  ddl: 'CREATE TABLE applied (commit_id uuid PRIMARY KEY);',
  async apply(tx, commits) {
    for (const { id } of commits) await tx.query('INSERT INTO applied VALUES ($1)', [id]);
    if (commits.length > 0) await whenApplied();
  },
};
/** The same read model in a program that cannot apply the commit. */
const refuses: ReadModel = {
  ...counts,
  async apply() {
    await whenRefused();
    throw new TypeError('this commit cannot be taken');
  },
};

const schema = firstSchema(counts);
let database: TestDatabase;
let log: MemoryLog;
let whenApplied: () => Promise<unknown>;
let whenRefused: () => Promise<unknown>;
let commit: RecordedCommit;

beforeEach(async () => {
  database = await createTestDatabase();
  whenApplied = whenRefused = async () => {};
  log = memoryLog();
  await log.append(
    newCommit('intake-b1', { events: [customEventsReceived.create({ items: [{ event_id: 101, user_id: 7 }] })] }),
  );
  commit = log.commits.flat()[0]!;
  await migrateRuntimeSchema(database.pool);
  await createVersion(database.pool, counts);
});
afterEach(() => database.drop());

const target = (model: ReadModel, pool = database.pool): Target => ({ pool, model, schema, keys: log.keys });
const everyPartition = () => true;

async function letters(): Promise<unknown[]> {
  return (await database.pool.query(`SELECT blocking, retry FROM ${schema}.dead_letters`)).rows;
}

async function applied(): Promise<string[]> {
  const { rows } = await database.pool.query<{ commit_id: string }>(`SELECT * FROM ${schema}.applied`);
  return rows.map(({ commit_id }) => commit_id);
}

async function addLetter({ blocking = false, retry = false }): Promise<void> {
  await database.pool.query(
    `INSERT INTO ${schema}.dead_letters (commit_id, commit, error, blocking, retry) VALUES ($1, $2, 'no', $3, $4)`,
    [commit.id, JSON.stringify(commit), blocking, retry],
  );
}

const pass = () => database.pool.query(`INSERT INTO ${schema}.checkpoints VALUES (0, $1)`, [commit.position]);

/** Resolves when another transaction of this database waits for a lock. */
async function untilOneWaits(): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await database.pool.query(waiting)).rowCount === 0) await pause(10);
}

/** The test's pool, whose second transaction begins when `until` resolves. */
function secondWaits(until: () => Promise<unknown>): pg.Pool {
  const pool = Object.create(database.pool) as pg.Pool;
  let begun = 0;
  pool.query = database.pool.query.bind(database.pool) as pg.Pool['query'];
  pool.connect = (async () => {
    if (++begun === 2) await until();
    return database.pool.connect();
  }) as pg.Pool['connect'];
  return pool;
}

const open = (writer: Writer) => [...writer.open({ partition: 0, commits: [commit], last: commit.position })];

function writerOf(model: ReadModel, onBadCommit: (error: BadCommitError) => Promise<void>, checkpoint = new Map()) {
  return new Writer({
    target: target(model),
    checkpoint,
    skipped: new Set(),
    quarantined: null,
    onBadCommit: async (_, error) => {
      await onBadCommit(error);
      return 'dead-letter';
    },
  });
}

function skip(): Promise<boolean> {
  return decideLetter(
    {
      log,
      sources: systemSources,
      pool: database.pool,
      manifests: [counts],
      waitForSwitch: async () => {},
    },
    { id: letterId(schema, commit.id), skipFor: 'known', projector: null, outcomeMs: 60_000 },
  );
}

async function skips(): Promise<number> {
  return (await log.read(projectionStream('counts'))).commits.length;
}

test('a retry that one projector refuses leaves no letter once another has applied the commit', async () => {
  await addLetter({ retry: true });
  await pass();
  let other: Promise<boolean> = Promise.resolve(false);
  whenRefused = async () => {
    other = retryDeadLetters(target(counts), everyPartition, new Set());
    await untilOneWaits();
  };
  const refusing = target(
    refuses,
    secondWaits(() => other),
  );
  expect(await retryDeadLetters(refusing, everyPartition, new Set())).toBe(false);
  expect(await other).toBe(true);
  expect(await applied()).toEqual([commit.id]);
  expect(await letters()).toEqual([]);
});

test('a projector does not stop the version at a commit that another projector has applied', async () => {
  const stale = writerOf(refuses, async (error) => {
    const taker = writerOf(counts, () => Promise.reject());
    await taker.write(open(taker));
    await recordStop(target(refuses), 1, commit, error);
  });
  await expect(stale.write(open(stale))).rejects.toBeInstanceOf(CheckpointTakenError);
  expect(await applied()).toEqual([commit.id]);
  expect(await letters()).toEqual([]);
  expect(await findVersion(database.pool, 'counts', 1)).toMatchObject({ error: null });
});

test('a stop at the first commit of a partition keeps another projector from its first checkpoint', async () => {
  const order: string[] = [];
  let moving: Promise<unknown> = Promise.resolve();
  await inTransaction(database.pool, async (tx) => {
    expect(await lockCheckpoint(tx, schema, 0)).toBeUndefined();
    moving = inTransaction(database.pool, (other) =>
      moveCheckpoints(other, schema, [{ key: 0, from: undefined, to: commit.position }]),
    ).then((moved) => order.push(moved));
    await Promise.race([untilOneWaits(), moving]);
    order.push('unlocked');
  });
  await moving;
  expect(order).toEqual(['unlocked', 'moved']);
  expect(await loadCheckpoint(database.pool, schema)).toEqual(new Map([[0, commit.position]]));
});

test('a commit is stopped at while the checkpoint is before it', async () => {
  const error = new BadCommitError('no', commit, {});
  await recordStop(target(refuses), 1, commit, error);
  expect(await letters()).toEqual([{ blocking: true, retry: false }]);
  expect(await findVersion(database.pool, 'counts', 1)).toMatchObject({ error: 'no' });
});

test('a letter of a commit that the version has applied is not skipped', async () => {
  await addLetter({ blocking: true });
  await pass();
  await expect(skip()).rejects.toThrow('has applied the commit');
  expect(await skips()).toBe(0);
});

test('a letter is not skipped when a projector applies it at the same time', async () => {
  await addLetter({ retry: true });
  await pass();
  let skipping: Promise<unknown> = Promise.resolve();
  whenApplied = async () => {
    skipping = skip().catch((error: Error) => error.message);
    await Promise.race([untilOneWaits(), skipping]);
  };
  expect(await retryDeadLetters(target(counts), everyPartition, new Set())).toBe(true);
  expect(await skipping).toContain('has applied the commit');
  expect(await skips()).toBe(0);
});

test('a letter is not applied once the log says that it is skipped', async () => {
  await addLetter({});
  await pass();
  expect(await skip()).toBe(true);
  await addLetter({ retry: true }); // as after a skip whose outcome is unknown
  expect(await retryDeadLetters(target(counts), everyPartition, new Set([commit.id]))).toBe(false);
  expect(await applied()).toEqual([]);
  expect(await letters()).toEqual([]);
});
