import { expect, it } from 'vitest';
import { createUserLookUp } from '../../../src/processes/broadcasts/shared-look-ups.ts';
import { stubPool } from '../../support/stub-pool.ts';

interface Statement {
  readonly text: string;
  readonly values: readonly string[];
  answer(rows: object[]): void;
  fail(error: Error): void;
}

function setUp() {
  const statements: Statement[] = [];
  const pool = stubPool((query: unknown) => {
    // The question whether the database is a cluster is a text alone.
    if (typeof query === 'string') return Promise.resolve({ rows: [], rowCount: 0 });
    const { text, values } = query as Pick<Statement, 'text' | 'values'>;
    return new Promise((resolve, fail) => {
      statements.push({ text, values, answer: (rows) => resolve({ rows }), fail });
    });
  });
  const usersOf = createUserLookUp(pool, async ({ name }) => name, new AbortController().signal);
  const find = (botId: number, chats: readonly number[], withFields = false) =>
    usersOf({ botId, timezone: 'UTC', chats }, withFields);
  const begun = async (count: number): Promise<Statement> => {
    await expect.poll(() => statements.length).toBe(count);
    return statements[count - 1]!;
  };
  return { find, begun };
}

it('looks up the claims that come while a statement runs by the next one, and gives each claim its own users', async () => {
  const { find, begun } = setUp();
  const first = find(1, [10, -20, 11]);
  const one = await begun(1);
  expect(one.values).toEqual(['{0,0}', '{1,1}', '{10,11}']);
  const second = find(2, [10]);
  const third = find(1, [10, 12]);
  one.answer([{ i: 0, user_id: 11, erased: false, user_status: 'blocked' }]);
  expect([...(await first)]).toEqual([[11, { status: 'blocked', fields: {} }]]);
  const two = await begun(2);
  expect(two.values).toEqual(['{0,1,1}', '{2,1,1}', '{10,10,12}']);
  two.answer([
    { i: 1, user_id: 10, erased: true, user_status: null },
    { i: 0, user_id: 10, erased: false, user_status: 'deactivated' },
  ]);
  expect([...(await second)]).toEqual([[10, { status: 'deactivated', fields: {} }]]);
  expect([...(await third)]).toEqual([[10, { status: 'erased', fields: {} }]]);
});

it('fails the claims of a statement that fails, and no later ones', async () => {
  const { find, begun } = setUp();
  const failed = [find(1, [1]), find(2, [2])].map((found) => expect(found).rejects.toThrow('down'));
  (await begun(1)).fail(new Error('down'));
  await Promise.all(failed);
  const next = find(1, [1]);
  const { values, answer } = await begun(2);
  expect(values).toEqual(['{0}', '{1}', '{1}']);
  answer([]);
  expect((await next).size).toBe(0);
});

it('asks no database about claims of groups alone', async () => {
  const { find } = setUp();
  expect((await find(1, [-1, -2])).size).toBe(0);
});
