import { expect, test } from 'vitest';
import { readModels } from '../../support/read-models.ts';

const TABLE = /CREATE TABLE (\w+) \(/g;

test.each(readModels)(
  'each table of the read model $name has a place on a Citus cluster',
  ({ ddl, placement = {} }) => {
    const tables = [...ddl.matchAll(TABLE)].map(([, name]) => name!);
    expect(Object.keys(placement).sort()).toEqual(tables.sort());
  },
);

test.each(readModels)('unique keys of the distributed tables of $name name the bot', ({ ddl, placement = {} }) => {
  for (const part of ddl.split(/(?=CREATE TABLE )/)) {
    const column = placement[/^CREATE TABLE (\w+)/.exec(part)?.[1] ?? ''];
    if (column !== 'bot_id' && column !== 'public_key') continue;
    const keys = [...part.matchAll(/(?:PRIMARY KEY|UNIQUE(?: NULLS NOT DISTINCT)?)(?: \(([^)]*)\))?/g)];
    for (const [text, columns] of keys) {
      const single = new RegExp(`\\b${column} \\w+ PRIMARY KEY`).test(part);
      expect(columns?.split(', ') ?? (single ? [column] : []), text).toContain(column);
    }
  }
});
