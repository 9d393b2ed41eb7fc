import { afterEach, beforeEach, expect, test } from 'vitest';
import { customEventsReceived } from '../../../src/domain/intake/intake-events.ts';
import type { RecordedCommit } from '../../../src/log/port.ts';
import type { ReadModel } from '../../../src/projections/read-model.ts';
import type { Target } from '../../../src/projections/runtime/apply.ts';
import { loadCheckpoint } from '../../../src/projections/runtime/checkpoint.ts';
import { Writer } from '../../../src/projections/runtime/writer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { newCommit } from '../../support/log.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { createFirstTables, firstSchema } from '../../support/read-model-tables.ts';

/** Parts of several partitions in one transaction. */

let database: TestDatabase;
let target: Target;
/** The causations of the commits of each call of `apply`. */
let calls: (string | undefined)[][];

const notes: ReadModel = {
  name: 'notes',
  shape: 1,
  categories: ['intake'],
  events: ['custom_events_received'],
  ddl: 'CREATE TABLE seen (name text NOT NULL);',
  async apply(tx, commits) {
    calls.push(commits.map(({ causation }) => causation));
    for (const { causation } of commits) {
      if (causation?.startsWith('bad')) throw new TypeError('this commit cannot be taken');
      await tx.query('INSERT INTO seen VALUES ($1)', [causation]);
    }
  },
};

beforeEach(async () => {
  database = await createTestDatabase();
  await createFirstTables(database.pool, notes);
  target = { pool: database.pool, model: notes, schema: firstSchema(notes), keys: memoryLog().keys };
  calls = [];
});
afterEach(() => database.drop());

/** A batch of commits with these causations, from position 1 of the partition on. */
async function batchOf(partition: number, names: readonly string[]) {
  const log = memoryLog();
  const events = [customEventsReceived.create({ items: [{ event_id: 101, user_id: 7 }] })];
  for (const causation of names) await log.append(newCommit(`intake-b${partition}`, { events, causation }));
  const commits: RecordedCommit[] = log.commits
    .flat()
    .map((each, i) => ({ ...each, position: `${partition}:${i + 1}` }));
  return { partition, commits, last: `${partition}:${names.length + 1}` };
}

async function write(batches: readonly Awaited<ReturnType<typeof batchOf>>[], letters: string[] = []): Promise<void> {
  const writer = new Writer({
    target,
    checkpoint: await loadCheckpoint(database.pool, target.schema),
    skipped: new Set(),
    quarantined: null,
    onBadCommit: async ({ causation }) => {
      letters.push(causation!);
      return 'dead-letter';
    },
  });
  await writer.write(batches.flatMap((batch) => [...writer.open(batch)]));
  expect(new Map([...writer.written].sort())).toEqual(await loadCheckpoint(database.pool, target.schema));
}

async function seen(): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(`SELECT name FROM ${target.schema}.seen ORDER BY 1`);
  return rows.map(({ name }) => name);
}

const everywhere = new Map([
  [0, '0:3'],
  [1, '1:2'],
  [2, '2:1'],
]);

test('parts of several partitions are applied at once, each with its checkpoint', async () => {
  await write([await batchOf(0, ['a', 'b']), await batchOf(2, []), await batchOf(1, ['c'])]);
  expect(calls).toEqual([['a', 'b', 'c']]);
  expect(await seen()).toEqual(['a', 'b', 'c']);
  expect(await loadCheckpoint(database.pool, target.schema)).toEqual(everywhere);
});

test('a bad commit becomes a dead letter, and the other commits of all parts are applied once', async () => {
  const letters: string[] = [];
  await write([await batchOf(0, ['bad one', 'b']), await batchOf(2, []), await batchOf(1, ['bad two'])], letters);
  expect(letters).toEqual(['bad one', 'bad two']);
  expect(await seen()).toEqual(['b']);
  expect(await loadCheckpoint(database.pool, target.schema)).toEqual(everywhere);
  const { rows } = await database.pool.query(`SELECT count(*)::int AS n FROM ${target.schema}.dead_letters`);
  expect(rows).toEqual([{ n: 2 }]);
});

test('nothing is applied if another projector has taken the checkpoint of one of the partitions', async () => {
  await write([await batchOf(1, ['c'])]);
  const writer = new Writer({
    target,
    checkpoint: new Map(),
    skipped: new Set(),
    quarantined: null,
    onBadCommit: () => Promise.reject(),
  });
  const batches = [await batchOf(0, ['a']), await batchOf(1, ['c'])];
  await expect(writer.write(batches.flatMap((batch) => [...writer.open(batch)]))).rejects.toThrow('is already');
  expect(await seen()).toEqual(['c']);
  expect(await loadCheckpoint(database.pool, target.schema)).toEqual(new Map([[1, '1:2']]));
});

test('a checkpoint past commits of others says so if another projector has taken it', async () => {
  await write([await batchOf(0, ['a']), await batchOf(1, ['c'])]);
  const stale = new Map([
    [0, '0:2'],
    [1, '1:1'],
  ]);
  const writer = new Writer({
    target,
    checkpoint: stale,
    skipped: new Set(),
    quarantined: null,
    onBadCommit: () => Promise.reject(),
  });
  const passing = [0, 1].map((partition) => ({ partition, commits: [], last: `${partition}:9` }));
  await expect(writer.write(passing.flatMap((batch) => [...writer.open(batch)]))).rejects.toThrow(
    'checkpoint of notes_v1 is elsewhere',
  );
});
