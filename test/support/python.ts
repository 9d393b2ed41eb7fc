import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './source-files.ts';

const run = promisify(execFile);
const REQUIREMENTS = join(ROOT, 'packages/python/requirements-test.txt');
const CAN_MAKE_ONE = 'import ensurepip, sys, venv; print(sys.version); sys.exit(sys.version_info < (3, 10))';

/**
 * The Python of a virtual environment with the packages that the tests of the Python client need. It is made once for each list of
 * packages, in the folder for temporary files.
 * @returns its path, or what is missing here
 */
export async function pythonOfTests(): Promise<{ readonly path: string } | { readonly lacks: string }> {
  const { status, stdout } = spawnSync('python3', ['-c', CAN_MAKE_ONE]);
  if (status !== 0) return { lacks: 'python3, 3.10 or later, with venv' };
  const digest = createHash('sha256').update(stdout).update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `botledger-python-tests-${process.getuid?.() ?? ''}-${digest}`);
  const path = join(folder, 'bin/python');
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return { path };
  // Without the mark it is what a stopped run left.
  await rm(folder, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', folder]);
  try {
    await run(path, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', REQUIREMENTS]);
  } catch (error) {
    return { lacks: `a package index for pip: ${(error as Error).message}` };
  }
  await writeFile(complete, '');
  return { path };
}
