import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadReadModel } from '../../../src/projections/load-read-model.ts';
import { createVersion } from '../../../src/projections/runtime/versions.ts';
import { startTestCli, type TestCli } from '../../support/cli.ts';

/** Help texts, and the refusal of commands that do not exist or are not complete. */

let cli: TestCli;
beforeAll(async () => {
  cli = await startTestCli();
});
afterAll(() => cli.close());

it.each([
  [['owner', 'create', '--name', 'x', '--colour', 'red'], "unknown option '--colour'"],
  [['owner', 'create'], "required option '--name <name>' not specified"],
  [['owner', 'remove'], "unknown command 'remove'"],
  [['owner', 'lst'], "unknown command 'lst' (Did you mean list?)"],
  [['onwer', 'list'], "unknown command 'onwer' (Did you mean owner?)"],
  [['owner', 'create', '--name', 'x', '--curency', 'EUR'], "unknown option '--curency' (Did you mean --currency?)"],
  [['payout', 'confirm', '--payout', '1', '--force'], "unknown option '--force'"],
  [['owner', 'set', '--owner', '9007199254740993'], 'It must be an integer from 1, below 2^53'],
  [['owner', 'list', 'all'], 'too many arguments'],
  [['owner', 'create', '--name', 'x', '--plan', 'gold'], 'Allowed choices are premium, free'],
  [['owner', 'set', '--owner', '1.5'], 'It must be an integer from 1'],
  [['key', 'rotate', '--key', '1', '--overlap', '24'], 'It must be an integer with s, m, h or d'],
  [['bot', 'set', '--bot', 'a', '--paid-broadcasts', 'maybe'], 'It must be true or false'],
  [['projection', 'limit', 'users', '--max-rate', 'foo'], 'It must be none or an integer from 1, below 2^53'],
  [['projection', 'drop', 'users', '--version', '1', '--until'], 'say one of --version and --until'],
  [['projection', 'rebuild', 'users', '--all'], 'say either the name of a read model or --all'],
  [['goal', 'create', '--bot', 'a', '--bot', 'b', '--target-id', '2', '--name', 'x'], 'It is given twice'],
])('refuses wrong usage with one line: %j', async (argv, message) => {
  const { code, out, err } = await cli.run(...argv);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
  expect(err.trim().split('\n')).toHaveLength(1);
});

it('has a help text', async () => {
  expect(await cli.run('--version')).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: '' });
  expect(await cli.run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('exchange rates') });
  expect(await cli.run('key', 'issue', '--help')).toMatchObject({ code: 0, out: expect.stringContaining('--json') });
  expect((await cli.run('key', 'rotate', '--help')).out).toContain('keeps working (default: 24h)');
});

describe('a drop of a version', () => {
  const become = (state: string) => cli.pool.query('UPDATE runtime.read_models SET state = $1', [state]);
  beforeAll(async () => {
    await createVersion(cli.pool, await loadReadModel('users'));
  });

  it.each([
    ['live', 'users', '1', 'users version 1 is live: switch to another version first'],
    ['ready', 'users', '1', 'no version of users is live: switch to another version first'],
    ['live', 'users', '9007199254740991', 'there is no version 9007199254740991 of users'],
    ['live', 'nothing', '1', 'there is no read model nothing; there are catalog, users, '],
  ])('is refused with the reason: %s, %s %s', async (state, name, version, message) => {
    await become(state);
    const { code, err } = await cli.run('projection', 'drop', name, '--version', version);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });
});
