import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** A release from the repository's history, installed and built in a separate folder. */
export interface FormerRelease {
  /** The path of a file of the release. */
  path(file: string): string;
  /** Runs a command of `botledger` and returns its answer. */
  botledger(env: Readonly<Record<string, string>>, ...argv: string[]): Promise<Record<string, unknown>>;
  remove(): Promise<void>;
}

/** @returns null, and says why, where the history or the package registry is out of reach */
export async function formerRelease(version: string, commit: string): Promise<FormerRelease | null> {
  const folder = await mkdtemp(join(tmpdir(), `botledger-${version}-`));
  const remove = (): Promise<void> => rm(folder, { recursive: true });
  try {
    const archive = join(folder, 'release.tar');
    await run('git', ['archive', '--output', archive, commit], { cwd: root });
    await mkdir(join(folder, 'release'));
    await run('tar', ['-xf', archive, '-C', join(folder, 'release')]);
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: join(folder, 'release') });
  } catch (error) {
    console.warn(`SKIPPED: an upgrade from ${version} cannot be tried here: ${String(error).split('\n', 1)[0]}`);
    await remove();
    return null;
  }
  const path = (file: string): string => join(folder, 'release', file);
  return {
    path,
    async botledger(env, ...argv) {
      const program = [path('bin/botledger.js'), ...argv, '--json'];
      const { stdout } = await run(process.execPath, program, { env: { ...process.env, ...env } });
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    remove,
  };
}
