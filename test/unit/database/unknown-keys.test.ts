import { expect, it } from 'vitest';
import { createUnknownKeys } from '../../../src/queries/catalog/catalog-cache.ts';

/** A log and a table that follows it, with the number of statements. */
function fixture() {
  const inLog = new Set<string>();
  const inTable = new Set<string>();
  let statements = 0;
  let now = 0;
  const gaps: { ms: number; end: () => void }[] = [];
  const loadMany = async (keys: readonly string[]) => {
    statements++;
    return new Map(keys.filter((key) => inTable.has(key)).map((key) => [key, key]));
  };
  const find = createUnknownKeys({
    loadMany,
    withoutValue: async (keys) => {
      if ([...inLog].some((key) => !inTable.has(key))) return [];
      const found = await loadMany(keys);
      return keys.filter((key) => !found.has(key));
    },
    elapsed: () => now,
    pause: (ms) => new Promise((end) => gaps.push({ ms, end })),
  });
  return {
    find,
    inLog,
    inTable,
    statements: () => statements,
    pass: (ms: number) => {
      now += ms;
    },
    /** Ends the gaps until nothing waits. */
    settle: async () => {
      for (let turn = 0; turn < 50; turn++) {
        for (const { end } of gaps.splice(0)) end();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

it('looks 2,000 different keys up in a few statements', async () => {
  const { find, statements, settle } = fixture();
  const answers = Promise.all(Array.from({ length: 2000 }, (_, n) => find(`wrong ${n}`)));
  await settle();
  expect(new Set(await answers)).toEqual(new Set([null]));
  expect(statements()).toBeLessThanOrEqual(3);
});

it('does not look a missing key up again, for 10 s', async () => {
  const { find, statements, settle, pass } = fixture();
  const first = find('wrong');
  await settle();
  expect(await first).toBeNull();
  const before = statements();
  for (let n = 0; n < 500; n++) expect(await find('wrong')).toBeNull();
  expect(statements()).toBe(before);
  pass(10_001);
  const again = find('wrong');
  await settle();
  expect(await again).toBeNull();
  expect(statements()).toBeGreaterThan(before);
});

it('finds a key as soon as the table has it, though it was asked for before', async () => {
  const { find, inLog, inTable, settle } = fixture();
  inLog.add('new');
  const early = find('new');
  await settle();
  expect(await early).toBeNull();
  inTable.add('new');
  const late = find('new');
  await settle();
  expect(await late).toBe('new');
});
