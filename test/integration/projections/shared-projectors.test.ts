import { afterAll, describe, expect, test } from 'vitest';
import { askRetry } from '../../../src/projections/runtime/dead-letters.ts';
import type { OnBadEvent } from '../../../src/projections/runtime/projector-options.ts';
import { clearError, findVersion } from '../../../src/projections/runtime/versions.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { startKafkaBroker } from '../../support/kafka-broker.ts';
import { longOnly } from '../../support/long-only.ts';
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

const PARTITIONS = 12;
const NOTES = 'projection notes_v1';

const broker = await startKafkaBroker();
afterAll(() => broker?.stop());

describe.each([
  ['in memory', () => instancesInMemory(PARTITIONS), 8, false],
  ['on Kafka', () => instancesOnKafka(broker!, PARTITIONS), 2, broker === null],
] as const)('projectors that share a log of 12 partitions %s', (_name, begin, pairs, isSkipped) => {
  test.skipIf(isSkipped)(
    'come to the rows of one projector while instances come and go',
    async () => {
      const instances = await begin();
      const commits = manyBots(pairs, 25, 21);
      const share = Math.ceil(commits.length / 4);
      const first = instances.start('a', SHARED_MODELS);
      await appendAll(instances.log, commits.slice(0, share));
      await instances.caughtUp(SHARED_MODELS);
      await expect
        .poll(() => instances.groups('projection events_v1'), { timeout: WAIT_MS })
        .toEqual({ a: PARTITIONS });

      const second = instances.start('b', SHARED_MODELS);
      await appendAll(instances.log, commits.slice(share, 2 * share));
      await expect.poll(() => instances.groups('projection events_v1'), { timeout: WAIT_MS }).toEqual({ a: 6, b: 6 });
      const third = instances.start('c', SHARED_MODELS);
      await expect
        .poll(() => instances.groups('projection events_v1'), { timeout: WAIT_MS })
        .toEqual({ a: 4, b: 4, c: 4 });
      for (const { delivered } of [first, second, third]) delivered.clear();
      await appendAll(instances.log, commits.slice(2 * share, 3 * share));
      await instances.caughtUp(SHARED_MODELS);
      for (const { delivered } of [first, second, third]) expect(delivered.size).toBeLessThanOrEqual(4);

      await first.stop();
      await appendAll(instances.log, commits.slice(3 * share));
      await instances.caughtUp(SHARED_MODELS);
      await expect.poll(() => instances.groups('projection events_v1'), { timeout: WAIT_MS }).toEqual({ b: 6, c: 6 });
      await expectReplayed(instances, SHARED_MODELS);
    },
    3 * WAIT_MS,
  );
});

longOnly(
  'the partitions of an instance that was killed go to the others once its leases have expired, 3 s later at most',
  async () => {
    const instances = await instancesInMemory(PARTITIONS);
    const model = notes(new Set());
    const { pool } = instances.database;
    instances.start('a', [model]);
    await expect.poll(() => instances.groups(NOTES), { timeout: WAIT_MS }).toEqual({ a: PARTITIONS });
    instances.start('b', [model]);
    await expect.poll(() => instances.groups(NOTES), { timeout: WAIT_MS }).toEqual({ a: 6, b: 6 });
    // As kill -9 leaves them: they are neither renewed nor given back.
    await instances.died('b');
    const { rows } = await pool.query<{ ms: number }>(
      `SELECT extract(epoch FROM max(expires_at) - clock_timestamp())::float8 * 1000 AS ms FROM runtime.leases
      WHERE holder = 'dead'`,
    );
    expect(rows[0]!.ms).toBeLessThanOrEqual(3000);
    await expect.poll(() => instances.groups(NOTES), { timeout: WAIT_MS }).toEqual({ a: PARTITIONS });
  },
);

describe('a bad event in a partition of one of two instances', () => {
  async function append({ log }: Instances, bot: string, id = systemSources.uuid()): Promise<string> {
    await log.append({ id, stream: `intake-${bot}`, expected: 'any', at: systemSources.now(), events: [NOTED] });
    return id;
  }

  async function seen({ database }: Instances): Promise<string[]> {
    const { rows } = await database.pool.query<{ id: string }>('SELECT commit_id AS id FROM notes_v1.seen ORDER BY 1');
    return rows.map(({ id }) => id);
  }

  /** A bot of a partition that this instance has. */
  async function botOf({ database, log }: Instances, holder: string): Promise<string> {
    const { rows } = await database.pool.query<{ part: number }>(
      `SELECT split_part(name, '/', 2)::int AS part FROM runtime.leases WHERE name ~ '/\\d+$' AND holder = $1`,
      [holder],
    );
    const parts = new Set(rows.map(({ part }) => part));
    return Array.from({ length: 1000 }, (_, i) => `bot${i}`).find((bot) => parts.has(log.partitionOf(bot)))!;
  }

  async function twoInstances(refused: Set<string>, onBadEvent: OnBadEvent): Promise<Instances> {
    const instances = await instancesInMemory(PARTITIONS);
    const model = notes(refused);
    instances.start('a', [model], { onBadEvent });
    await instances.caughtUp([model]);
    instances.start('b', [model], { onBadEvent });
    await expect.poll(() => instances.groups(NOTES), { timeout: WAIT_MS }).toEqual({ a: 6, b: 6 });
    return instances;
  }

  test('stops the read model on both, and both resume after the repair', async () => {
    const refused = new Set([systemSources.uuid()]);
    const instances = await twoInstances(refused, 'stop');
    const [ofA, ofB] = [await botOf(instances, 'a'), await botOf(instances, 'b')];
    const [bad] = refused;
    await append(instances, ofA, bad);
    await expect.poll(() => instances.groups(NOTES), { timeout: WAIT_MS }).toEqual({});
    const good = await append(instances, ofB);
    const { pool } = instances.database;
    expect((await findVersion(pool, 'notes', 1))?.error).toContain(bad);
    expect(await seen(instances)).toEqual([]);
    refused.clear();
    await clearError(pool, 'notes', 1);
    await expect.poll(() => seen(instances), { timeout: WAIT_MS }).toEqual([bad!, good].sort());
    await expect.poll(() => instances.groups(NOTES), { timeout: WAIT_MS }).toEqual({ a: 6, b: 6 });
    expect((await pool.query('SELECT FROM notes_v1.dead_letters')).rowCount).toBe(0);
  });

  test('becomes a dead letter, which the instance of its partition applies once after the repair', async () => {
    const refused = new Set([systemSources.uuid()]);
    const instances = await twoInstances(refused, 'dead-letter');
    const [bad] = refused;
    const { pool } = instances.database;
    const ofB = await botOf(instances, 'b');
    await append(instances, ofB, bad);
    const good = await append(instances, ofB);
    await expect.poll(() => seen(instances), { timeout: WAIT_MS }).toEqual([good]);
    refused.clear();
    await askRetry(pool, 'notes', 1, bad!);
    await expect.poll(() => seen(instances), { timeout: WAIT_MS }).toEqual([bad!, good].sort());
    expect((await pool.query('SELECT FROM notes_v1.dead_letters')).rowCount).toBe(0);
  });
});
