import { expect, it } from 'vitest';
import { sourceFiles } from '../../support/source-files.ts';

/** Files that import each other can only be understood together. Imports of types count as well. */

interface Importing {
  readonly path: string;
  readonly imports: readonly { readonly file: string }[];
}

it.each(['src', 'console/src'])('no files of %s import each other in a circle', (folder) => {
  expect(circles(sourceFiles(folder))).toEqual([]);
});

it('finds circles of two and of three files', () => {
  const of = (imports: Readonly<Record<string, readonly string[]>>): Importing[] =>
    Object.entries(imports).map(([path, files]) => ({ path, imports: files.map((file) => ({ file })) }));
  expect(circles(of({ a: ['b', 'c'], b: ['c'], c: [] }))).toEqual([]);
  expect(circles(of({ a: ['b'], b: ['a'] }))).toEqual(['a > b > a']);
  expect(circles(of({ x: ['a'], a: ['b'], b: ['c'], c: ['a', 'x'] }))).toEqual(['a > b > c > a', 'x > a > b > c > x']);
});

function circles(files: readonly Importing[]): string[] {
  const imports = new Map(files.map(({ path, imports }) => [path, imports.map(({ file }) => file)]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at >= 0) found.push([...way.slice(at), path].join(' > '));
    if (at >= 0 || done.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return found;
}
