import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
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
 * @returns its path, or the missing program
 */
export async function pythonOfTests(): Promise<{ readonly path: string } | { readonly lacks: string }> {
  const { status, stdout } = spawnSync('python3', ['-c', CAN_MAKE_ONE]);
  if (status !== 0) return { lacks: 'python3, 3.10 or later, with venv' };
  const digest = createHash('sha256').update(stdout).update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `botledger-python-tests-${process.getuid?.() ?? ''}-${digest}`);
  const path = join(folder, 'bin/python');
  if (existsSync(path)) return { path };
  // Two test files may make it at the same time: the first to name its own wins, and a stopped run leaves no half of one.
  const own = await mkdtemp(`${folder}-`);
  const python = join(own, 'bin/python');
  await run('python3', ['-m', 'venv', own]);
  try {
    await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', REQUIREMENTS]);
  } catch (error) {
    await rm(own, { recursive: true });
    return { lacks: `a package index for pip: ${(error as Error).message}` };
  }
  try {
    await rename(own, folder);
  } catch (error) {
    if (!existsSync(path)) throw error;
    await rm(own, { recursive: true });
  }
  return { path };
}
