import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, sourceFiles } from '../../support/source-files.ts';

/** Each noun of the glossary (ARCHITECTURE.md) is a word of the code, so that the glossary loses a word with its last use. */

const architecture = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
const glossary = architecture.slice(architecture.indexOf('\n## Glossary'), architecture.indexOf('\n## Decisions'));
const rows = glossary.split('\n').filter((line) => /^\| (?!Term|---)/.test(line));
const terms = rows.flatMap((row) =>
  row
    .split('|')[1]!
    .replace(/ \(.*?\)/g, '')
    .split(',')
    .map((term) => term.trim()),
);
const code = sourceFiles('src')
  .map(({ text }) => text.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[\s_*/-]+/g, ' '))
  .join('\n')
  .toLowerCase();
const wordOf = (term: string): string => term.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
const isUsed = (term: string): boolean => new RegExp(`\\b${wordOf(term)}(s|es)?\\b`).test(code);

it('each term of the glossary is used in src', () => {
  expect(terms.length).toBeGreaterThan(50);
  expect(terms.filter((term) => !isUsed(term))).toEqual([]);
});

it('finds a term that is not used', () => {
  expect(['read model', 'parcel of events'].map(isUsed)).toEqual([true, false]);
});

it('each method that the glossary names is one of the port', () => {
  const port = readFileSync(join(ROOT, 'src/log/port.ts'), 'utf8');
  const named = [...glossary.matchAll(/`EventLog\.(\w+)\(\)`/g)].map(([, method]) => method!);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((method) => !new RegExp(`\\b${method}\\(`).test(port))).toEqual([]);
});
