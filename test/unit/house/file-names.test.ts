import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { sourceFiles } from '../../support/source-files.ts';

/** Parts that every read model, every group of routes or every engine has. */
const SHARED = ['engine', 'manifest', 'migrations', 'read-model', 'routes', 'schemas', 'tables'];

it('a file of src has a name that no other has, but for the shared ones', () => {
  const seen = new Map<string, string[]>();
  for (const { path } of sourceFiles('src')) {
    const name = basename(path, '.ts');
    if (!SHARED.includes(name)) seen.set(name, [...(seen.get(name) ?? []), path]);
  }
  expect([...seen.values()].filter((paths) => paths.length > 1)).toEqual([]);
});
