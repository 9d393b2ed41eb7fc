import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestCli, type TestCli } from '../../support/cli.ts';

let cli: TestCli;
beforeAll(async () => {
  cli = await startTestCli();
});
afterAll(() => cli.close());

it('an operator is issued, listed without the secret, and revoked', async () => {
  const { operator_id, operator_key } = await cli.json('operator', 'issue', '--name', 'Ann', '--can', 'read');
  expect(operator_key).toMatch(/^operator:[\w-]{43}$/);
  const issued = { operator_id, name: 'Ann', can: 'read', issued_at: expect.any(String) };
  expect(await cli.json('operator', 'list')).toEqual([{ ...issued, revoked_at: null }]);
  expect(await cli.json('operator', 'revoke', '--operator', String(operator_id))).toEqual({ operator_id });
  expect(cli.changes.at(-1)).toMatchObject({ category: 'operator', replaces: true });
  expect(await cli.json('operator', 'list')).toEqual([{ ...issued, revoked_at: expect.any(String) }]);
});

it.each([
  [['issue', '--name', 'Ann'], 2],
  [['issue', '--name', 'Ann', '--can', 'all'], 2],
  [['issue', '--name', '', '--can', 'act'], 1],
  [['revoke', '--operator', '99'], 1],
])('operator %j is refused', async (argv, code) => {
  expect((await cli.run('operator', ...argv)).code).toBe(code);
});
