import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const BUILT_FROM = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'src', 'console'];

interface LockedPackage {
  readonly dev?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
}

/** Copies this checkout to a folder, with the packages that `npm ci --omit=dev` installs. */
async function copyTo(folder: string): Promise<void> {
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
}

/** Builds in the folder. @returns hashes of the built files, by their paths */
async function build(folder: string): Promise<Record<string, string>> {
  const dist = join(folder, 'dist');
  await rm(dist, { recursive: true, force: true });
  await promisify(execFile)('npm', ['run', 'prepare'], { cwd: folder });
  const files = (await readdir(dist, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  const hashed = paths.map(async (path) => {
    const hash = createHash('sha256').update(await readFile(path));
    return [relative(dist, path), hash.digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(hashed));
}

test('npm ci --omit=dev installs all that the build needs, and two builds have the same files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'botledger-production-'));
  try {
    await copyTo(folder);
    const built = await build(folder);
    expect(Object.keys(built)).toContain('app/main.js');
    expect(await build(folder)).toEqual(built);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
