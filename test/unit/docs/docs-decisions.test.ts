import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/source-files.ts';

/** Comments and documents cite a rule of docs/decisions.md by its anchor. It stays when rules move. */

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const decisions = read('docs/decisions.md');
const anchors = [...decisions.matchAll(/<a id="([^"]*)"><\/a>/g)].map(([, id]) => id!);

/** All texts that may cite a rule. Old entries of CHANGELOG cite former numbers. */
const texts = ['.', ...['src', 'test', 'bench', 'demo', 'docs', '.github'].flatMap(foldersOf)]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|md|yml|json)$/.test(entry.name))
      .map((entry) => join(folder, entry.name).replaceAll('\\', '/')),
  )
  .filter((path) => !['CHANGELOG.md', 'package-lock.json', 'test/unit/docs/docs-decisions.test.ts'].includes(path))
  .map((path) => ({ path, text: read(path) }));

function foldersOf(folder: string): string[] {
  const below = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return [
    folder,
    ...below.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name)),
  ].map((path) => path.replace(`${ROOT}/`, ''));
}

/** `decisions.md#a`, and `decisions.md#a, #b and #c`, also broken over the lines of a comment. */
const CITATION = /decisions\.md((?:(?:,|,? and)?(?:\s+\*)?\s*#[\w-]+)+)/g;

it('gives each rule a different anchor, in kebab-case', () => {
  expect(anchors.filter((id) => !/^[a-z]+(-[a-z]+)*$/.test(id))).toEqual([]);
  expect(anchors.filter((id, index) => anchors.indexOf(id) < index)).toEqual([]);
  const headings = decisions.match(/^##+ .*$/gm) ?? [];
  expect(headings.length).toBeGreaterThan(50);
  expect(headings.filter((heading) => !/^##+ <a id="/.test(heading))).toEqual([]);
});

it('holds every cited anchor', () => {
  const cited = texts.flatMap(({ path, text }) =>
    [...text.matchAll(CITATION)].flatMap(([, list]) =>
      [...list!.matchAll(/#([\w-]+)/g)].map(([, id]) => ({ path, id: id! })),
    ),
  );
  expect(cited.length).toBeGreaterThan(100);
  const links = [...decisions.matchAll(/\]\(#([^)]*)\)/g)].map(([, id]) => ({ path: 'docs/decisions.md', id: id! }));
  expect([...cited, ...links].filter(({ id }) => !anchors.includes(id))).toEqual([]);
});

it('is cited by anchor, never by number', () => {
  const byNumber = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/decisions?(?:\.md)?[`)\]]*,?\s+(?:\*\s+)?(?:section\s+)?[1-7]\b(?!,\d).{0,20}/gi)].map(
      ([found]) => `${path}: ${found}`,
    ),
  );
  expect(byNumber).toEqual([]);
  const inner = (decisions.match(/\((?:[^()]*[ :])?[1-7]\.\d{1,2}[):;]/g) ?? []).filter(
    (found) => !/https?:/.test(found),
  );
  expect(inner).toEqual([]);
});
