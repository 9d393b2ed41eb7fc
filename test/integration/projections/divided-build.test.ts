import { afterAll, describe, expect, test } from 'vitest';
import { projectionStream } from '../../../src/domain/streams.ts';
import { EMPTY_STREAM } from '../../../src/log/port.ts';
import { controlBuild, loadMeasured } from '../../../src/projections/runtime/build-control.ts';
import { loadCheckpoint } from '../../../src/projections/runtime/checkpoint.ts';
import { skipLetter } from '../../../src/projections/runtime/skip-letter.ts';
import { clearError, findVersion, isFollowed } from '../../../src/projections/runtime/versions.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { startKafkaBroker } from '../../support/kafka-broker.ts';
import { longOnly, longRows } from '../../support/long-only.ts';
import { appendAll, manyBots } from '../../support/many-bots.ts';
import {
  expectReplayed,
  type Instances,
  instancesInMemory,
  instancesOnKafka,
  NOTED,
  notes,
  SHARED_MODELS,
  WAIT_MS,
} from '../../support/projector-instances.ts';

/** Instances that find a log with commits, and build the first version of a read model together. */

/** Of a log with one partition. */
const SECTIONS = 8;

const broker = await startKafkaBroker();
afterAll(() => broker?.stop());

/** @returns ends the wait of instances that were started with `reads` */
function gate(): { readonly reads: Promise<void>; open(): void } {
  let open!: () => void;
  return { reads: new Promise<void>((resolve) => (open = resolve)), open };
}

const OPTIONS = { divideFrom: 1 };
const eventsAt = async ({ database }: Instances, table = 'events_v1.checkpoints') =>
  (await database.pool.query<{ lane: number; position: string }>(`SELECT * FROM ${table} ORDER BY lane`)).rows;

async function expectWhole(instances: Instances): Promise<void> {
  for (const { name } of SHARED_MODELS) {
    const { pool } = instances.database;
    expect(await findVersion(pool, name, 1)).toMatchObject({ state: 'live', error: null });
    const lanes = await eventsAt(instances, `${name}_v1.checkpoints`);
    expect(Math.max(...lanes.map(({ lane }) => lane)), name).toBeLessThan(instances.log.partitions);
  }
  const left = await instances.database.pool.query('SELECT goal FROM runtime.read_models WHERE goal IS NOT NULL');
  expect(left.rowCount).toBe(0);
  expect((await instances.database.pool.query('SELECT FROM runtime.builders')).rowCount).toBe(0);
}

describe.each([
  { of: 'of one partition', begin: () => instancesInMemory(1), units: SECTIONS, isSkipped: false },
  { of: 'of 12 partitions', begin: () => instancesInMemory(12), units: 12, isSkipped: false },
  ...longRows([{ of: 'on Kafka', begin: () => instancesOnKafka(broker!, 12), units: 12, isSkipped: broker === null }]),
])('a log $of', ({ begin, units, isSkipped }) => {
  test.skipIf(isSkipped)(
    'is read by three builders, one dies, and the rows are as of one',
    async () => {
      const instances = await begin();
      const commits = manyBots(8, 25, 22);
      const atGoal = Math.ceil((commits.length * 3) / 4);
      await appendAll(instances.log, commits.slice(0, atGoal));
      const first = gate();
      const others = gate();
      instances.start('a', SHARED_MODELS, { ...OPTIONS, reads: first.reads });
      instances.start('b', SHARED_MODELS, { ...OPTIONS, reads: others.reads });
      instances.start('c', SHARED_MODELS, { ...OPTIONS, reads: others.reads });
      const shares = () => instances.groups('build events_v1');
      const third = (n: number) => Math.floor((units + n) / 3);
      await expect
        .poll(async () => Object.values(await shares()).sort(), { timeout: WAIT_MS })
        .toEqual([third(0), third(1), third(2)]);
      // The goal is noted. These commits are beyond it.
      await appendAll(instances.log, commits.slice(atGoal));
      first.open();
      await expect
        .poll(async () => new Set((await eventsAt(instances)).map(({ position }) => position)).size, {
          timeout: WAIT_MS,
        })
        .toBeGreaterThan(1);
      await instances.died('a');
      others.open();
      await instances.caughtUp(SHARED_MODELS);
      await expectWhole(instances);
      await expectReplayed(instances, SHARED_MODELS);
    },
    3 * WAIT_MS,
  );
});

const BOTS = Array.from({ length: 40 }, (_, i) => `bot${i}`);
const ROUNDS = 5;

const stamp = () => ({ id: systemSources.uuid(), at: systemSources.now() });

/** @returns the ids of its commits */
async function filled({ log }: Instances): Promise<string[]> {
  const ids: string[] = [];
  for (let round = 0; round < ROUNDS; round++)
    for (const bot of BOTS) {
      const at = stamp();
      await log.append({ ...at, stream: `intake-${bot}`, expected: 'any', events: [NOTED] });
      ids.push(at.id);
    }
  return ids;
}

async function seen({ database }: Instances): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>('SELECT commit_id AS id FROM notes_v1.seen ORDER BY 1');
  return rows.map(({ id }) => id);
}

/** Two instances that have divided the build, and read nothing yet. */
async function twoBuilders(refused?: ReadonlySet<string>, log?: Instances) {
  const instances = log ?? (await instancesInMemory(1));
  const ids = log === undefined ? await filled(instances) : [];
  const { reads, open } = gate();
  for (const name of ['a', 'b']) instances.start(name, [notes(refused)], { ...OPTIONS, reads });
  await expect.poll(() => instances.groups('build notes_v1'), { timeout: WAIT_MS }).toEqual({ a: 4, b: 4 });
  return { instances, ids, open };
}

test('the release before cannot build a version that is divided', async () => {
  const { instances } = await twoBuilders();
  const { pool } = instances.database;
  await expect(pool.query(`INSERT INTO notes_v1.checkpoints VALUES (0, '0:000000001')`)).rejects.toThrow('divided');
  expect(await loadCheckpoint(pool, 'notes_v1')).toEqual(new Map());
});

test.each(['repair', 'skip'] as const)(
  'a bad event stops both builders, and they continue after a %s',
  async (decision) => {
    const instances = await instancesInMemory(1);
    const { pool } = instances.database;
    const ids = await filled(instances);
    const bad = ids[70]!;
    const refused = new Set([bad]);
    const { open } = await twoBuilders(refused, instances);
    open();
    await expect.poll(() => instances.groups('build notes_v1'), { timeout: WAIT_MS }).toEqual({});
    expect((await findVersion(pool, 'notes', 1))?.error).toContain(bad);
    expect(await seen(instances)).not.toContain(bad);
    if (decision === 'skip') {
      const data = { commit_id: bad, version: 1, error: 'refused', reason: 'known' };
      const decide = async () => {
        const event = { type: 'dead_letter_skipped', v: 1, data };
        const stream = projectionStream('notes');
        await instances.log.append({ ...stamp(), stream, expected: EMPTY_STREAM, events: [event] });
      };
      expect(await skipLetter(pool, { name: 'notes', version: 1, commitId: bad }, decide)).toBe(true);
    } else {
      refused.clear();
      await clearError(pool, 'notes', 1);
    }
    await instances.caughtUp([notes()]);
    const kept = decision === 'skip' ? ids.filter((id) => id !== bad) : ids;
    expect(await seen(instances)).toEqual([...kept].sort());
  },
);

test('of two bad events that stop two builders, the first has the error, and both are tried again', async () => {
  const instances = await instancesInMemory(1);
  const { pool } = instances.database;
  const ids = await filled(instances);
  // The first commits of all bots: some of them are in sections of each builder.
  const refused = new Set(ids.slice(0, BOTS.length));
  const { open } = await twoBuilders(refused, instances);
  open();
  await expect.poll(() => instances.groups('build notes_v1'), { timeout: WAIT_MS }).toEqual({});
  const { rows } = await pool.query<{ error: string }>('SELECT error FROM notes_v1.dead_letters WHERE blocking');
  expect(rows.map(({ error }) => error)).toContain((await findVersion(pool, 'notes', 1))?.error);
  refused.clear();
  await clearError(pool, 'notes', 1);
  await instances.caughtUp([notes()]);
  expect(await seen(instances)).toEqual([...ids].sort());
  expect((await pool.query('SELECT FROM notes_v1.dead_letters')).rowCount).toBe(0);
});

longOnly('a pause stops both builders, and a limit holds for both together', async () => {
  const { instances, ids, open } = await twoBuilders();
  const { pool } = instances.database;
  const version = { name: 'notes', version: 1 };
  await controlBuild(pool, version, { paused: true });
  await expect.poll(() => instances.groups('build notes_v1'), { timeout: WAIT_MS }).toEqual({});
  open();
  expect(await seen(instances)).toEqual([]);
  const MAX_RATE = 20;
  await controlBuild(pool, version, { paused: false, maxRate: MAX_RATE });
  const begun = performance.now();
  const measured = () => loadMeasured(pool, version);
  await expect.poll(measured, { timeout: WAIT_MS }).toMatchObject({ builders: 2, backsOff: false });
  await expect
    .poll(async () => (await measured())?.eventsPerSecond ?? null, { timeout: WAIT_MS })
    .toEqual(expect.any(Number));
  const { length } = await seen(instances);
  // At most one part of each builder beyond the limit.
  expect(length).toBeLessThanOrEqual((MAX_RATE * (performance.now() - begun)) / 1000 + MAX_RATE);
  expect((await measured())!.eventsPerSecond).toBeLessThanOrEqual(2 * MAX_RATE);
  await controlBuild(pool, version, { maxRate: null });
  await instances.caughtUp([notes()]);
  expect(await seen(instances)).toEqual([...ids].sort());
});

test.each([
  ['of a divided build', 1],
  ['of the only builder', Number.POSITIVE_INFINITY],
])('a pause %s holds within a batch', async (_of, divideFrom) => {
  const instances = await instancesInMemory(1);
  const { pool } = instances.database;
  const ids = await filled(instances);
  const { reads, open } = gate();
  instances.start('a', [notes()], { divideFrom, reads });
  const version = { name: 'notes', version: 1 };
  const MAX_RATE = 20;
  const isBuilt = expect.poll(() => isFollowed(pool, 'notes', 1), { timeout: WAIT_MS });
  const limited = { maxRate: MAX_RATE, paused: true };
  await expect.poll(() => controlBuild(pool, version, limited), { timeout: WAIT_MS }).toBe(true);
  // The builder that begins after this has the limit from its first part on.
  await isBuilt.toBe(false);
  await controlBuild(pool, version, { paused: false });
  await isBuilt.toBe(true);
  const begun = performance.now();
  open();
  await expect.poll(() => seen(instances), { timeout: WAIT_MS }).not.toEqual([]);
  await controlBuild(pool, version, { paused: true });
  await isBuilt.toBe(false);
  // All commits are in one batch.
  const { length } = await seen(instances);
  expect(length).toBeLessThanOrEqual((MAX_RATE * (performance.now() - begun)) / 1000 + MAX_RATE);
  expect(length).toBeLessThan(ids.length);
});
