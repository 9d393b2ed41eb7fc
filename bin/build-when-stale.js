import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';

/** Builds before a start, unless the build is newer than all that it is made of: `npm ci` has just built. */

const SOURCES = ['src', 'console', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
/** The build writes it last. */
const LAST = 'dist/console/index.html';

/** When a path changed last, milliseconds: a folder changes with the names in it. */
const changed = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const withContent = (path) =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory()
    ? [path, ...readdirSync(path, { recursive: true }).map((name) => `${path}/${name}`)]
    : [path];

const built = changed(LAST);
if (built === 0 || SOURCES.flatMap(withContent).some((path) => changed(path) > built))
  process.exitCode = spawnSync('npm run build', { shell: true, stdio: 'inherit' }).status ?? 1;
