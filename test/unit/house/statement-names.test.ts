import { expect, it } from 'vitest';
import { sourceFiles } from '../../support/source-files.ts';

/** A prepared statement whose name lacks one of its schemas fails once another version of that read model answers. */
const NAMED = /name: `([^`]*)`,\s*text:\s*`((?:[^`\\]|\\.)*)`/g;
const SCHEMA = /\$\{([\w.]+)\}\.[a-z]/g;
const PLACE = /\$\{([\w.]+)\}/g;

it('the name of a prepared statement has every schema of its text', () => {
  const statements = sourceFiles('src').flatMap(({ path, text }) =>
    [...text.matchAll(NAMED)].map(([, name, sql]) => ({ path, name: name!, sql: sql! })),
  );
  const inSchemas = statements.filter(({ sql }) => new RegExp(SCHEMA).test(sql));
  expect(inSchemas.length).toBeGreaterThan(20);
  const lacking = inSchemas.flatMap(({ path, name, sql }) => {
    const named = new Set([...name.matchAll(PLACE)].map(([, place]) => place));
    const schemas = new Set([...sql.matchAll(SCHEMA)].map(([, schema]) => schema));
    return [...schemas].filter((schema) => !named.has(schema)).map((schema) => `${path}: ${name} lacks ${schema}`);
  });
  expect(lacking).toEqual([]);
});
