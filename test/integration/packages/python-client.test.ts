import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { longOnly } from '../../support/long-only.ts';
import { pythonOfTests } from '../../support/python.ts';
import { ROOT } from '../../support/source-files.ts';

/** The tests of packages/python, with its own tools, where Python can get them. */

const MINUTES = 60_000;
const FOLDER = join(ROOT, 'packages/python');

const python = await pythonOfTests();
const isHere = 'path' in python;
if (!isHere) console.warn(`THE PYTHON CLIENT IS NOT TESTED. It needs ${python.lacks}`);

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'botledger-python-'));
});
afterAll(() => rm(scratch, { recursive: true }));

/** Runs a module of Python in the package's folder; its output, and its exit code on the last line. */
async function run(module: string, ...parameters: readonly string[]): Promise<string> {
  if (!isHere) throw new Error('skipped');
  const child = spawn(python.path, ['-m', module, ...parameters], {
    cwd: FOLDER,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      output += part.toString();
    });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return `${output}\nexit code ${code}`;
}

if (isHere)
  longOnly('passes its own tests, on a stub and on the service', { timeout: 20 * MINUTES }, async () => {
    const output = await run('pytest');
    expect(output).toMatch(/\d+ passed[^\n]*\n+exit code 0$/);
    // The service is built here, so no test lacks it.
    expect(output).not.toContain('skipped');
  });

/** Of one user of the machine: mypy ends in an internal error where it may not write. */
const MYPY_CACHE = join(tmpdir(), `botledger-python-mypy-${userInfo().username}`);
it.skipIf(!isHere)('is typed strictly', { timeout: 20 * MINUTES }, async () => {
  expect(await run('mypy', '--cache-dir', MYPY_CACHE)).toMatch(/Success.*\n+exit code 0$/);
});

it.skipIf(!isHere)(
  'builds a wheel that has the types, the license, the author and the addresses',
  { timeout: 20 * MINUTES },
  async () => {
    const output = await run('build', '--wheel', '--no-isolation', '--outdir', scratch);
    expect(output).toMatch(/exit code 0$/);
    const [wheel] = await readdir(scratch);
    expect(wheel).toMatch(/^botledger-[\d.]+-py3-none-any\.whl$/);
    const contents = await run('zipfile', '--list', join(scratch, wheel!));
    expect(contents).toContain('botledger/py.typed');
    expect(contents).toContain('.dist-info/licenses/LICENSE');
    await run('zipfile', '--extract', join(scratch, wheel!), join(scratch, 'wheel'));
    const [info] = (await readdir(join(scratch, 'wheel'))).filter((name) => name.endsWith('.dist-info'));
    const metadata = await readFile(join(scratch, 'wheel', info!, 'METADATA'), 'utf8');
    expect(metadata).toMatch(/^Author: Botledger contributors$/m);
    expect(metadata.match(/^Project-URL: \w+/gm)).toHaveLength(5);
  },
);
