import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogReadModel } from '../../../src/projections/catalog/read-model.ts';
import { aBusyCatalog } from '../../support/catalog.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { type Partitions, partitionsOf } from '../../support/partitions.ts';
import { applyBatch } from '../../support/projection.ts';
import { testSources } from '../../support/test-sources.ts';

let database: TestDatabase;
let log: MemoryLog;
let partitions: Partitions['partitions'];
let project: Partitions['project'];

beforeAll(async () => {
  database = await createTestDatabase();
  log = memoryLog(64); // nearly every owner and bot has a separate partition
  await aBusyCatalog({ log, sources: testSources() });
  ({ partitions, project } = await partitionsOf(database.pool, catalogReadModel, log));
});
afterAll(() => database.drop());

it('has the rows of owners, bots, keys, goals, units, rates, operators and jobs of the log', async () => {
  const rows = await project([], 1000);
  expect(Object.fromEntries(Object.entries(rows).map(([table, all]) => [table, all.length]))).toEqual({
    bots: 3,
    event_words: 3,
    exchange_rates: 1,
    goals: 6,
    jobs: 2,
    keys: 8,
    command_audits: 1,
    operators: 2,
    owners: 2,
    units: 3,
  });
  expect(rows['owners']).toEqual([expect.stringMatching(/^\(1,o\w{15},Ann,EUR,free,100,f,\d+\)$/), expect.anything()]);
  expect(rows['exchange_rates']).toEqual(['(EUR,USD,2025-01-15,1.25)']);
  expect(rows['units']).toEqual(['(1,1,GEM,Gems,2)', '(2,2,GEM,Gems,2)', '(3,3,GEM,Gems,2)']);
  expect(rows['goals']).toContain('(3,1,100,Sale)');
  expect(rows['goals']).toContain('(3,2,103,Sign-up)');
  expect(rows['event_words']).toContain('(3,1,Began,,t)');
  expect(rows['operators']).toEqual([
    expect.stringMatching(/^\(10,Eve,act,[0-9a-f]{64},\d+,\d+\)$/),
    expect.stringMatching(/^\(4,Eve,act,[0-9a-f]{64},\d+,\)$/),
  ]);
  expect(rows['jobs']?.filter((row) => row.includes('done,"all is well",[],0,'))).toHaveLength(1);
  expect(rows['bots']?.map((row) => row.split(',')[4])).toEqual(['', '', 'other']);
});

it('is the same however the partitions interleave and the batches are cut', async () => {
  const expected = await project([], 1000);
  expect(partitions.length).toBeGreaterThan(4);
  const partition = fc.integer({ min: 0, max: partitions.length - 1 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(partition, { maxLength: 40, size: 'max' }),
      fc.integer({ min: 1, max: 12 }),
      async (order, size) => {
        expect(await project(order, size)).toEqual(expected);
      },
    ),
    { numRuns: 15 },
  );
});

it('refuses an event about a row that does not exist', async () => {
  await project([], 1000);
  const commit = partitions.flat().find(({ events }) => events[0]?.type === 'goal_created')!;
  const stray = { ...commit, stream: 'eventtypes-bNone' };
  await expect(applyBatch(database.pool, catalogReadModel, [stray], log.keys)).rejects.toThrow('0 rows instead of one');
});
