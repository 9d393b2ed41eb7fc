import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../support/source-files.ts';

const SOURCES = join(ROOT, 'console/src');
const BUILT = join(ROOT, 'dist/console');
const FIRST_PAGE_BYTES = 80 * 1024;
const FURTHER_PAGE_BYTES = 40 * 1024;
const STYLE_BYTES = 14 * 1024;
const FURTHER_STYLE_BYTES = 2 * 1024;

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

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  readonly css?: readonly string[];
}

const MANIFEST = join(BUILT, '.vite/manifest.json');
const chunks: Readonly<Record<string, Chunk>> = existsSync(MANIFEST)
  ? (JSON.parse(readFileSync(MANIFEST, 'utf8')) as Readonly<Record<string, Chunk>>)
  : {};

/** A chunk and all that it loads with it. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const each of chunks[name]!.imports ?? []) withImports(each, found);
  return found;
}

const zipped = (file: string): number => gzipSync(readFileSync(join(BUILT, file)), { level: 9 }).length;
const bytesOf = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + zipped(chunks[name]!.file), 0);

// `npm test` builds first; a single test file may run without.
describe.skipIf(!existsSync(MANIFEST))('the built console', () => {
  const entry = Object.keys(chunks).find((name) => chunks[name]!.isEntry === true)!;
  const pages = Object.keys(chunks).filter(
    (name) => /\/page\.tsx$/.test(name) && chunks[name]!.isDynamicEntry === true,
  );

  it('loads at most 80 KiB of script for the first page', () => {
    const first = pages.find((name) => name.includes('dashboard/'))!;
    expect(bytesOf(new Set([...withImports(entry), ...withImports(first)]))).toBeLessThanOrEqual(FIRST_PAGE_BYTES);
  });

  it('has pages that load by themselves', () => {
    expect(pages.length).toBeGreaterThan(4);
  });

  it.each(pages)('loads at most 40 KiB of script when %s opens after the first page', (name) => {
    const first = withImports(pages.find((page) => page.includes('dashboard/'))!);
    const more = [...withImports(name)].filter((each) => !first.has(each) && !withImports(entry).has(each));
    expect(bytesOf(more)).toBeLessThanOrEqual(FURTHER_PAGE_BYTES);
  });

  it('loads at most 14 KiB of styles for the first page, and further styles with their pages', () => {
    const first = withImports(pages.find((page) => page.includes('dashboard/'))!);
    const names = [...new Set([...withImports(entry), ...first])];
    const styles = new Set(names.flatMap((name) => chunks[name]!.css ?? []));
    expect(styles.size).toBeGreaterThan(0);
    expect([...styles].reduce((sum, file) => sum + zipped(file), 0)).toBeLessThanOrEqual(STYLE_BYTES);
    const further = Object.values(chunks).flatMap(({ css = [] }) => css.filter((file) => !styles.has(file)));
    expect(further.filter((file) => zipped(file) > FURTHER_STYLE_BYTES)).toEqual([]);
  });
});
