import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ROOT } from '../../support/source-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'build-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file of the folder, changed so many seconds ago. */
function write(path: string, text: string, secondsAgo: number): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  age(path, secondsAgo);
}
function age(path: string, secondsAgo: number): void {
  const at = Date.now() / 1000 - secondsAgo;
  utimesSync(join(folder, path), at, at);
}
/** Whether the start builds. The build of the folder writes a file. */
function builds(): boolean {
  execFileSync(process.execPath, [join(ROOT, 'bin/build-when-stale.js')], { cwd: folder, stdio: 'pipe' });
  try {
    return readFileSync(join(folder, 'built'), 'utf8') === 'yes';
  } catch {
    return false;
  }
}

it('a start builds only where there is no build, or a source was changed or removed since', () => {
  const build = `node -e "require('fs').writeFileSync('built', 'yes')"`;
  write('src/app/main.ts', '', 100);
  write('src/app/other.ts', '', 100);
  write('console/src/main.tsx', '', 100);
  write('dist/console/index.html', '', 50);
  write('package.json', JSON.stringify({ scripts: { build } }), 100);
  for (const path of ['src', 'src/app', 'console', 'console/src']) age(path, 100);
  expect(builds(), 'the build is newer').toBe(false);

  unlinkSync(join(folder, 'src/app/other.ts'));
  expect(builds(), 'a source was removed').toBe(true);

  unlinkSync(join(folder, 'built'));
  age('src/app', 100);
  age('console/src/main.tsx', 10);
  expect(builds(), 'a source was changed').toBe(true);

  unlinkSync(join(folder, 'built'));
  age('console/src/main.tsx', 100);
  expect(builds(), 'the build is newer again').toBe(false);
  unlinkSync(join(folder, 'dist/console/index.html'));
  expect(builds(), 'there is no build').toBe(true);
});
