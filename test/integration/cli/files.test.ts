import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { intakeStream } from '../../../src/domain/streams.ts';
import type { RecordedCommit } from '../../../src/log/port.ts';
import { readCommits } from '../../../src/projections/runtime/read-commits.ts';
import { usersReadModel } from '../../../src/projections/users/read-model.ts';
import { startTestCli, type TestCli } from '../../support/cli.ts';

let cli: TestCli;
let folder: string;
let bot: string;

beforeAll(async () => {
  cli = await startTestCli();
  folder = await mkdtemp(join(tmpdir(), 'botledger-'));
  const { owner_id } = await cli.json('owner', 'create', '--name', 'Ann');
  bot = (await cli.json('bot', 'create', '--owner', String(owner_id), '--name', 'Shop')).public_key;
});
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true });
});

async function file(text: string | Buffer): Promise<string> {
  const path = join(folder, 'given');
  await writeFile(path, text);
  return path;
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

const commits = (): RecordedCommit[] => cli.log.commits.flat().filter(({ stream }) => stream === intakeStream(bot));
/** The chunks of users that were appended since, with readable personal data. */
async function imports(since: number): Promise<readonly (readonly unknown[])[]> {
  const read = await readCommits(usersReadModel, commits().slice(since), cli.log.keys);
  return read.flatMap(({ events }) => events.flatMap((e) => (e.type === 'users_imported' ? [e.data.items] : [])));
}
const count = (): number => commits().length;

describe('user import', () => {
  it('reads CSV', async () => {
    const since = count();
    const path = await file('\uFEFFuser_id,gender,city\r\n1,f,"Berlin, West"\r\n\r\n2,,\r\n');
    expect(await cli.json('user', 'import', '--bot', bot, path)).toEqual({ users: 2 });
    expect(await imports(since)).toEqual([
      [{ user_id: 1, gender: 'f', custom_fields: { city: 'Berlin, West' } }, { user_id: 2 }],
    ]);
    expect(cli.changes.at(-1)).toMatchObject({ category: 'intake', position: expect.any(String) });
  });

  it('reads NDJSON', async () => {
    const since = count();
    const path = await file('\n{"user_id":1,"age":41.50,"vip":true}\n\n{"user_id":2,"is_premium":true}');
    expect(await cli.json('user', 'import', '--bot', bot, path)).toEqual({ users: 2 });
    expect(await imports(since)).toEqual([
      [
        { user_id: 1, custom_fields: { age: { number: '41.5' }, vip: true } },
        { user_id: 2, is_premium: true },
      ],
    ]);
  });

  it('reads files of several pieces, also if a piece ends within a character', async () => {
    const users = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ user_id: index + 1, a: '😀ë'.repeat(40) }));
    for (const text of [
      users(6000)
        .map((user) => JSON.stringify(user))
        .join('\r\n'),
      `a,user_id\n${users(6000)
        .map(({ user_id, a }) => `${a},${user_id}\n`)
        .join('')}`,
    ]) {
      const since = count();
      expect(await cli.json('user', 'import', '--bot', bot, await file(text))).toEqual({ users: 6000 });
      const items = (await imports(since)).flat();
      expect(items).toEqual(users(6000).map(({ user_id, a }) => ({ user_id, custom_fields: { a } })));
    }
  });

  it('appends chunks of at most 1,000 users or a million characters', async () => {
    const since = count();
    const small = Array.from({ length: 2500 }, (_, index) => `${index + 1}`).join('\n');
    await cli.json('user', 'import', '--bot', bot, await file(`user_id\n${small}`));
    expect((await imports(since)).map((items) => items.length)).toEqual([1000, 1000, 500]);
    const large = Array.from({ length: 1000 }, (_, index) =>
      JSON.stringify({ user_id: index + 1, a: 'x'.repeat(1000), b: 'y'.repeat(1000) }),
    );
    await cli.json('user', 'import', '--bot', bot, await file(large.join('\n')));
    const sizes = (await imports(since + 3)).map((items) => JSON.stringify(items).length);
    expect(sizes).toHaveLength(3);
    expect(Math.max(...sizes)).toBeLessThan(1_010_000);
  });

  it.each([
    ['a bad line', 'user_id,is_bot\n1,true\n0,true\n3,perhaps\n', /line 3: user_id must be .*; line 4: is_bot must be/],
    ['a bad line of JSON', '{"user_id":1}\n{"user_id":\n[]\n', /line 2: not JSON: .*; line 3: not a JSON object/],
    ['a duplicate key', '{"user_id":1,"a":1,"a":2}', /line 1: not JSON/],
    ['many bad lines', `user_id\n${'x\n'.repeat(12)}`, /line 6: .*; and 7 more bad lines/],
    ['a line with too few cells', 'user_id,a\n1,2\n3\n', /line 3 has 1 cell, the header 2/],
    ['a line of CSV that is not UTF-8', latin1('user_id,a\n1,"x\ny"\n2,Zoë\n'), /: line 4 is not UTF-8/],
    ['a CSV in UTF-16', Buffer.from('\uFEFFuser_id\n1\n', 'utf16le'), /is UTF-16: save it as UTF-8/],
    [
      'lines of JSON that are not UTF-8',
      latin1('{"user_id":1}\n\n{"user_id":2,"a":"ë"}\n{}'),
      /line 3: not UTF-8; line 4: /,
    ],
    [
      'a line without an end',
      `{"user_id":1}\n{"user_id":2,"a":"${'x'.repeat(3 << 20)}"}`,
      /line 2 is longer than 1048576 bytes/,
    ],
    ['a quote left open', 'user_id,a\n1,"b\n', /Quote/],
    ['no header', '1\n2\n', /the header lacks user_id/],
    ['a column twice', 'user_id,a,a\n1,2,3\n', /stands twice/],
    ['nothing', '', /empty/],
  ])('imports nothing from a file with %s', async (_, text, message) => {
    const since = count();
    const { code, out, err } = await cli.run('user', 'import', '--bot', bot, await file(text));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(message);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(await imports(since)).toEqual([]);
  });

  it('refuses a missing file and an unknown bot', async () => {
    expect(await cli.run('user', 'import', '--bot', bot, join(folder, 'none'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('ENOENT'),
    });
    expect(await cli.run('user', 'import', '--bot', 'bNone', await file('user_id\n1'))).toMatchObject({
      code: 1,
      err: 'botledger: there is no bot bNone\n',
    });
  });
});

describe('user set-field', () => {
  const set = (...argv: string[]) => cli.run('user', 'set-field', '--bot', bot, '--user', '5', ...argv);
  beforeAll(async () => {
    await cli.json('user', 'import', '--bot', bot, await file('user_id\n5\n'));
  });

  it.each([
    [['--name', 'gender', '--value', 'f'], { gender: 'f' }],
    [['--name', 'is_premium', '--value', 'true'], { is_premium: true }],
    [['--name', 'first_name', '--value', 'Ada'], { person: { first_name: 'Ada' } }],
    [['--name', 'level', '--value', '7'], { custom_fields: { level: '7' } }],
    [['--name', 'level', '--value', '-7.50', '--type', 'number'], { custom_fields: { level: { number: '-7.5' } } }],
    [['--name', 'vip', '--value', 'false', '--type', 'bool'], { custom_fields: { vip: false } }],
  ])('%j', async (argv, fields) => {
    const since = count();
    expect(await set(...argv, '--json')).toEqual({ code: 0, out: '{"users":1}\n', err: '' });
    expect(await imports(since)).toEqual([[{ user_id: 5, ...fields }]]);
  });

  it.each([
    [['--name', 'level', '--value', 'high', '--type', 'number'], 2],
    [['--name', 'vip', '--value', '1', '--type', 'bool'], 2],
    [['--name', 'user_id', '--value', '6'], 1],
    [['--name', 'user_status', '--value', 'asleep'], 1],
    [['--name', '__proto__', '--value', 'x'], 1],
  ])('refuses %j', async (argv, code) => {
    const since = count();
    expect(await set(...argv)).toMatchObject({ code, out: '' });
    expect(await imports(since)).toEqual([]);
  });
});

describe('a user that the bot never had', () => {
  it.each([['erase'], ['set-field', '--name', 'level', '--value', '7']])(
    '%s says so, and does it all the same with --force',
    async (verb, ...options) => {
      const argv = ['user', verb, '--bot', bot, '--user', '987654321', ...options];
      const head = await cli.log.endCursor();
      expect(await cli.run(...argv)).toEqual({
        code: 1,
        out: '',
        err: `botledger: bot ${bot} never had a user 987654321: nothing was done; --force does it all the same\n`,
      });
      expect(await cli.log.endCursor()).toEqual(head);
      expect(await cli.json(...argv, '--force')).toEqual({ users: 1 });
    },
  );

  it('is refused for its unknown bot, if the bot is unknown too', async () => {
    const of = ['--bot', 'bNone', '--user', '987654321'];
    expect(await cli.run('user', 'erase', ...of)).toMatchObject({ code: 1, err: 'botledger: there is no bot bNone\n' });
  });
});

describe('fx import', () => {
  it('sets all rates of a file', async () => {
    const path = await file('date,from,to,rate\n2025-01-01,EUR,USD,1.1\n2025-01-02,EUR,USD,1.2\n');
    expect(await cli.json('fx', 'import', path)).toEqual({});
    expect(await cli.json('fx', 'list')).toEqual([
      { from: 'EUR', to: 'USD', date: '2025-01-01', rate: 1.1 },
      { from: 'EUR', to: 'USD', date: '2025-01-02', rate: 1.2 },
    ]);
  });

  it('names a wrong line, and sets no rate', async () => {
    const path = await file('from,to,rate,date\nEUR,GBP,1.1,2025-01-01\n\nEUR,GBP,,2025-01-02\n');
    const { code, err } = await cli.run('fx', 'import', path);
    expect(code).toBe(1);
    expect(err).toMatch(/^botledger: line 4: rate must be .*; nothing was imported\n$/);
    expect(await cli.json('fx', 'list')).toHaveLength(2);
  });
});
