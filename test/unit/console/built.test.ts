import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/source-files.ts';

const SOURCES = join(ROOT, 'console/src');
const BUILT = join(ROOT, 'dist/console');
const MAX_SCRIPT_BYTES = 80 * 1024;

it('the console imports packages and its own files only, and types of the service', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const outside = files.flatMap((name) =>
    [...readFileSync(join(SOURCES, name), 'utf8').matchAll(/^import (type )?[^;]*?from '(\.[^']+)';/gm)]
      .filter(([, isType, path]) => isType === undefined && normalize(join(dirname(name), path!)).startsWith('..'))
      .map(([line]) => `${name}: ${line}`),
  );
  expect(files.length).toBeGreaterThan(0);
  expect(outside).toEqual([]);
});

// `npm test` builds first; a single test file may run without.
it.skipIf(!existsSync(BUILT))('the script of the console is at most 80 KiB, compressed', () => {
  const scripts = readdirSync(join(BUILT, 'assets')).filter((name) => name.endsWith('.js'));
  const sizes = scripts.map((name) => gzipSync(readFileSync(join(BUILT, 'assets', name))).length);
  expect(sizes.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
});
