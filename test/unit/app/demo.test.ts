import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { prepareDemo } from '../../../src/app/demo.ts';
import { type CommandContext, load } from '../../../src/commands/decide-and-append.ts';
import { hashSecret } from '../../../src/domain/catalog/api-key.ts';
import { owner } from '../../../src/domain/catalog/owner.ts';
import { ownerStream } from '../../../src/domain/streams.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botledger-'));
});
afterEach(() => rm(folder, { recursive: true }));

const APPENDS = 6;

/** Expects that the file holds the only key in the log, and that no other file exists. */
async function expectWhole({ log }: CommandContext): Promise<void> {
  const [publicPart, secret] = (await readFile(join(folder, 'demo.key'), 'utf8')).trim().split(':');
  expect(secret).toMatch(/^[\w-]{43}$/);
  const { keys } = (await load(log, owner, ownerStream(1))).state;
  expect([...keys.values()]).toMatchObject([{ public_part: publicPart, secret_hash: hashSecret(secret!) }]);
  expect(await readdir(folder)).toEqual(['demo.key']);
  expect((await stat(join(folder, 'demo.key'))).mode & 0o777).toBe(0o600);
}

/** Fails at append number `at`, before or after it. */
function dying({ log, sources }: CommandContext, at: number, when: 'before' | 'after'): CommandContext {
  let appends = 0;
  return {
    sources,
    log: {
      ...log,
      async append(commit) {
        if (++appends < at) return log.append(commit);
        if (when === 'after') await log.append(commit);
        throw new Error('died');
      },
    },
  };
}

it('the file holds the key once', async () => {
  const context = { log: memoryLog(), sources: testSources() };
  const demo = await prepareDemo(context, folder);
  expect(demo?.keyFile).toBe(join(folder, 'demo.key'));
  await expectWhole(context);
  expect(context.log.commits.flat()).toHaveLength(APPENDS);
  expect(await prepareDemo(context, folder)).toBeNull();
  await expectWhole(context);
});

it('a terminal shows the key and the next commands, a log file neither', async () => {
  const demo = await prepareDemo({ log: memoryLog(), sources: testSources() }, folder);
  const key = (await readFile(join(folder, 'demo.key'), 'utf8')).trim();
  const [terminal, file] = ['link-token', null].map((token) => demo!.text('http://127.0.0.1:3000', token));
  expect(terminal).toContain(key);
  for (const next of [
    'http://127.0.0.1:3000/console#token=link-token',
    'http://127.0.0.1:3000/docs',
    'npm run demo',
    'npx botledger projection list',
    'npx botledger --help',
  ])
    expect(terminal).toContain(next);
  expect(file).not.toContain(key);
  expect(file).not.toContain('link-token');
  expect(file).not.toContain('What to try next');
  const elsewhere = demo!.text('http://127.0.0.1:4000', 'link-token');
  expect(elsewhere).toContain(`DATA_DIR=${folder} BASE_URL=http://127.0.0.1:4000 npm run demo`);
  expect(elsewhere).toContain(`DATA_DIR=${folder} npx botledger projection list`);
});

it.each(
  Array.from({ length: APPENDS }, (_, index) => index + 1).flatMap((at) => [
    [at, 'before'] as const,
    [at, 'after'] as const,
  ]),
)('the demo is complete after the next start, when the first one died at append %i, %s it', async (at, when) => {
  const context = { log: memoryLog(), sources: testSources() };
  await expect(prepareDemo(dying(context, at, when), folder)).rejects.toThrow('died');
  expect(await prepareDemo(context, folder)).not.toBeNull();
  await expectWhole(context);
});

it('the demo is complete after the next start, when the first one died while writing its files', async () => {
  const context = { log: memoryLog(), sources: testSources() };
  await prepareDemo(context, folder);
  const key = await readFile(join(folder, 'demo.key'), 'utf8');
  await writeFile(join(folder, 'demo.key.secret'), key.trim().split(':')[1]!);
  await writeFile(join(folder, 'demo.key'), key.slice(0, 9));
  expect(await prepareDemo(context, folder)).not.toBeNull();
  await expectWhole(context);
});

it('an incomplete secret and a secret that is not in the log are not used', async () => {
  const context = { log: memoryLog(), sources: testSources() };
  await writeFile(join(folder, 'demo.key.secret'), 'short');
  await prepareDemo(context, folder);
  await expectWhole(context);
  await writeFile(join(folder, 'demo.key.secret'), 'x'.repeat(43));
  expect(await prepareDemo(context, folder)).toBeNull();
  await expectWhole(context);
});
