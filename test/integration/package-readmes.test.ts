import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf } from '../support/pages.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ROOT } from '../support/source-files.ts';

/** Runs the examples of the pages of packages/, each page as one program, on a service. */

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

async function runPage(page: string): Promise<string> {
  const { apiKey } = await service.createBot();
  const program = join(folder, 'page.ts');
  await writeFile(program, programOf(page));
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', include: ['page.ts'] }),
  );
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  const env = { ...process.env, BOTLEDGER_URL: service.address, BOTLEDGER_KEY: apiKey };
  const parameters = ['--conditions=@botledger/source', '--import', 'tsx', program];
  return (await run(process.execPath, parameters, { env, cwd: ROOT })).stdout;
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
  const output = await runPage('packages/client/README.md');
  expect(output).toContain('{ sent: 2500, failed: 0 }');
  // The bot of this page has paid no reward yet.
  expect(output).toMatch(/^no available balance/m);
});
