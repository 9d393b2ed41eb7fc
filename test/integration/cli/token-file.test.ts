import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestCli, type TestCli } from '../../support/cli.ts';

let cli: TestCli;
let folder: string;
beforeAll(async () => {
  cli = await startTestCli();
  folder = await mkdtemp(join(tmpdir(), 'token-'));
});
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true });
});

it("reads a bot's token from a file, and warns of one that stands in the arguments", async () => {
  const { owner_id } = await cli.json('owner', 'create', '--name', 'Ann');
  const { public_key } = await cli.json('bot', 'create', '--owner', String(owner_id), '--name', 'Shop');
  const set = (...more: string[]) => cli.run('bot', 'set', '--bot', public_key, ...more);
  const hasToken = async (): Promise<boolean> => (await cli.json('bot', 'list'))[0].has_token;
  const file = join(folder, 'token');
  await writeFile(file, '124:from-a-file\n');
  expect(await set('--token-file', file)).toMatchObject({ code: 0, err: '' });
  expect(await hasToken()).toBe(true);
  expect(await set('--token', '')).toMatchObject({ code: 0, err: '' });
  expect(await hasToken()).toBe(false);
  expect(await set('--token', '123:abc')).toMatchObject({ code: 0, err: expect.stringContaining('--token-file') });
  expect(await set('--token-file', file, '--token', '1:a')).toMatchObject({
    code: 1,
    err: expect.stringContaining('not both'),
  });
  expect(await set('--token-file', `${file}-none`)).toMatchObject({ code: 1, err: expect.stringContaining('ENOENT') });
});
