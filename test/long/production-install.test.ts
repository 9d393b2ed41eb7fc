import { execFile } from 'node:child_process';
import { access, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const BUILT_FROM = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'src', 'console'];

interface LockedPackage {
  readonly dev?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
}

test('npm ci --omit=dev installs all that the build needs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'botledger-production-'));
  try {
    for (const name of BUILT_FROM) await cp(join(ROOT, name), join(folder, name), { recursive: true });
    const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, LockedPackage>>;
    };
    // Links what npm would install: packages without `dev`, and their programs.
    for (const [path, { dev, bin = {} }] of Object.entries(lock.packages)) {
      if (dev || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)) continue;
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await symlink(join(ROOT, path), join(folder, path));
      for (const [name, program] of Object.entries(bin)) {
        await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
        await symlink(join(ROOT, path, program), join(folder, 'node_modules/.bin', name));
      }
    }
    await promisify(execFile)('npm', ['run', 'prepare'], { cwd: folder });
    await expect(access(join(folder, 'dist/app/main.js'))).resolves.toBeUndefined();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
