import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf } from '../../support/pages.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { ROOT } from '../../support/source-files.ts';

/** The examples of the pages of packages/, each page as one program. */

const run = promisify(execFile);
let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
  // In the repository, so that the examples find the packages by their names.
  await mkdir(join(ROOT, '.cache'), { recursive: true });
  folder = await mkdtemp(join(ROOT, '.cache/readme-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await service.stop();
});

/** Compiles the examples of a page. @returns the program */
async function compiled(page: string): Promise<string> {
  const program = join(folder, 'page.ts');
  await writeFile(program, programOf(page));
  const project = { extends: '../../tsconfig.json', include: ['page.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error);
  expect(stdout, page).toBe('');
  return program;
}

/** The blocks of a page, with the imports of all before the rest. */
function programOf(page: string): string {
  const lines = blocksOf(page)
    .filter(({ language }) => language === 'ts')
    .flatMap(({ text }) => text.split('\n'));
  const isImport = (line: string): boolean => line.startsWith('import ');
  return [...lines.filter(isImport), ...lines.filter((line) => !isImport(line))].join('\n');
}

it('packages/client/README.md', async () => {
  const program = await compiled('packages/client/README.md');
  const { apiKey } = await service.createBot();
  const env = { ...process.env, BOTLEDGER_URL: service.address, BOTLEDGER_KEY: apiKey };
  const parameters = ['--conditions=@botledger/source', '--import', 'tsx', program];
  const { stdout } = await run(process.execPath, parameters, { env, cwd: ROOT });
  expect(stdout).toContain('{ sent: 2500, failed: 0 }');
  // The bot of this page has paid no reward yet.
  expect(stdout).toMatch(/^no available balance/m);
});

// Their examples in full run in bot-frameworks.test.ts.
it.each(['grammy', 'telegraf'])('packages/%s/README.md compiles', async (name) => {
  await compiled(`packages/${name}/README.md`);
});
