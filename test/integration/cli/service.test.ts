import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliContext } from '../../../src/app/cli-context.ts';
import { runCli } from '../../../src/cli/cli-program.ts';
import type { ContextRunner } from '../../../src/cli/command.ts';
import { type Administer, administer } from '../../support/administer.ts';
import { createTestDatabase } from '../../support/database.ts';
import { operate } from '../../support/operate.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { ROOT } from '../../support/source-files.ts';

describe('while a service runs', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const run: Administer = (...argv) => administer({ DATABASE_URL: service.database.url })(...argv);
  const send = async (apiKey: string, body: object) =>
    (await service.post('/v1/send-target', body, { 'api-key': apiKey })).status;

  it('a key, a goal and a revocation are in effect when the command returns', async () => {
    const owner = String((await run('owner', 'create', '--name', 'Ann')).owner_id);
    const { public_key } = await run('bot', 'create', '--owner', owner, '--name', 'Shop');
    const { key_id, api_key } = await run('key', 'issue', '--owner', owner, '--bot', public_key);
    expect(await send(api_key, { target_id: 7, user_id: 1 })).toBe(400);
    await run('goal', 'create', '--bot', public_key, '--target-id', '7', '--name', 'Sign-up');
    expect(await send(api_key, { target_id: 7, user_id: 1 })).toBe(200);
    const next = await run('key', 'rotate', '--key', String(key_id), '--overlap', '1h');
    expect(await send(api_key, { target_id: 7, user_id: 1 })).toBe(200);
    await run('key', 'revoke', '--key', String(key_id));
    expect(await send(api_key, { target_id: 7, user_id: 1 })).toBe(401);
    expect(await send(next.api_key, { target_id: 7, user_id: 1 })).toBe(200);
  });
});

describe('without a service', () => {
  it('commands work, also two at once', async () => {
    const database = await createTestDatabase();
    const run = administer({ DATABASE_URL: database.url });
    const created = await Promise.all(['Ann', 'Bea'].map((name) => run('owner', 'create', '--name', name)));
    expect(created.map(({ owner_id }) => owner_id).sort()).toEqual([1, 2]);
    const owners = (await run('owner', 'list')) as { name: string }[];
    expect(owners.map(({ name }) => name).sort()).toEqual(['Ann', 'Bea']);
    await database.drop();
  });

  it('a command warns of a misspelt variable, and answers', async () => {
    const database = await createTestDatabase();
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [join(ROOT, 'bin/botledger.js'), 'owner', 'list', '--json'],
      { env: { ...process.env, DATABASE_URL: database.url, DATABSE_URL: 'x' } },
    );
    expect(JSON.parse(stdout)).toEqual([]);
    // On a slow machine a line about a wait follows.
    expect(stderr.split('\n')[0]).toBe('botledger: the variable DATABSE_URL is not read; did you mean DATABASE_URL?');
    await database.drop();
  });

  it('a command names the open transaction that it waits for, and answers when it has ended', async () => {
    const database = await createTestDatabase();
    const env = { DATABASE_URL: database.url };
    const holding = await database.pool.connect();
    await holding.query('BEGIN; SELECT pg_current_xact_id()');
    const lines: string[] = [];
    let withContext: ContextRunner | null = null;
    const named = new Promise<void>((resolve) => {
      const notice = (line: string): void => {
        lines.push(line);
        resolve();
      };
      withContext = cliContext(env, { notice });
    });
    const output = { out: '', err: '' };
    const run = (...argv: string[]): Promise<number> =>
      runCli([...argv, '--json'], {
        examine: async () => [],
        planUpgrade: () => Promise.reject(new Error('not asked for')),
        withContext: withContext!,
        stdout: (text) => {
          output.out += text;
        },
        stderr: (text) => {
          output.err += text;
        },
      });
    const creating = run('owner', 'create', '--name', 'Ann');
    await named;
    await holding.query('COMMIT');
    holding.release();
    expect([await creating, output]).toEqual([0, { out: '{"owner_id":1}\n', err: '' }]);
    // Another test may hold an older transaction on this server, and then the line names that one.
    expect(lines[0]).toMatch(
      /^waiting for .*: the readers of the log wait for the transaction of pid \d+.*, open for \d+ s/,
    );
    expect(await run('owner', 'list')).toBe(0);
    await database.drop();
  });

  it('text calls the lag commits, while its field in JSON is called events', async () => {
    const database = await createTestDatabase();
    const env = { LOG_LEVEL: '', DATABASE_URL: database.url };
    const rows = await operate(env, ['projection', 'list']);
    expect(rows[0].lag).toEqual({ events: expect.any(Number), seconds: expect.any(Number) });
    const written: string[] = [];
    const stdout = (text: string): void => {
      written.push(text);
    };
    expect(
      await runCli(['projection', 'list'], {
        examine: async () => [],
        planUpgrade: () => Promise.reject(new Error('not asked for')),
        withContext: cliContext(env),
        stdout,
        stderr: stdout,
      }),
    ).toBe(0);
    const output = written.join('');
    expect(output).toMatch(/ \d+ commits, [\d.]+ seconds/);
    expect(output).toMatch(/ position +lag +deferred /);
    expect(output).not.toContain(' events, ');
    await database.drop();
  });
});
