import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documents } from '../../support/documents.ts';
import { ROOT } from '../../support/source-files.ts';

/** ARCHITECTURE.md is short, and names every folder and every decision. */

const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
const section = (heading: string): string => text.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
const rows = (heading: string): string[] =>
  section(heading)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1);

it('ARCHITECTURE.md has at most 300 lines', () => {
  expect(text.split('\n').length - 1).toBeLessThanOrEqual(300);
});

it('ARCHITECTURE.md has a diagram of rooms, of an event, of a payout and of validate on read', () => {
  const withDiagram = text.split(/^## /m).filter((each) => each.includes('\n```mermaid\n'));
  expect(withDiagram.map((each) => each.split('\n')[0])).toEqual([
    'Rooms and arrows',
    'An event in, and its row',
    'A payout',
    'Validate on read',
  ]);
});

it('the glossary has at most 40 terms, each once', () => {
  const terms = rows('Glossary').flatMap((row) => row.split('|')[1]!.trim().split(', '));
  expect(rows('Glossary').length).toBeGreaterThan(0);
  expect(rows('Glossary').length).toBeLessThanOrEqual(40);
  expect(terms.filter((term, index) => terms.indexOf(term) !== index)).toEqual([]);
});

it('the rooms are the folders of src', () => {
  const named = [...section('Rooms and arrows').matchAll(/^\| .*?\|/gm)].flatMap(([cell]) =>
    [...cell.matchAll(/`src\/([\w-]+)\/`/g)].map(([, room]) => room!),
  );
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(named.sort()).toEqual(folders.map(({ name }) => name).sort());
});

const decisions = readdirSync(join(ROOT, 'docs/adr'));

it('ARCHITECTURE.md links every decision', () => {
  const linked = new Set([...text.matchAll(/\(docs\/adr\/([\w.-]+)\)/g)].map(([, name]) => name!));
  expect(decisions.filter((name) => !linked.has(name))).toEqual([]);
});

it('every decision has a different number', () => {
  const numbers = decisions.map((name) => name.slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
});

describe.each(decisions)('docs/adr/%s', (name) => {
  const adr = readFileSync(join(ROOT, 'docs/adr', name), 'utf8');

  it('has its number, context, decision, price, and what would overturn it', () => {
    expect(adr).toMatch(new RegExp(`^# ${Number(name.slice(0, 4))}\\. `));
    expect([...adr.matchAll(/^\*\*([A-Z][\w ]+)\*\*:/gm)].map(([, label]) => label)).toEqual([
      'Context',
      'Decision',
      'Price',
      'To overturn',
    ]);
  });
});

describe.each(documents().filter((path) => /^src\/.*README\.md$/.test(path)))('%s', (path) => {
  const folder = join(ROOT, dirname(path));

  it('names files of its folder that are there', () => {
    const names = [...readFileSync(join(ROOT, path), 'utf8').matchAll(/`([\w-]+(?:\/[\w-]+)*\.ts)`/g)].map(
      ([, name]) => name!,
    );
    const outside = /^(?:src|test|bench)\//;
    expect(names.filter((name) => !outside.test(name) && !existsSync(join(folder, name)))).toEqual([]);
  });
});
