import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/source-files.ts';

/** Fields of which the interface lists every value have these values in openapi.json, and so in the types of the clients. */

const openapi = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));
const { schemas } = openapi.components;

interface Schema {
  readonly [key: string]: unknown;
}

function* schemasBelow(part: unknown, place: string): Generator<readonly [string, Schema]> {
  if (typeof part !== 'object' || part === null) return;
  yield [place, part as Schema];
  for (const [key, value] of Object.entries(part))
    if (!['example', 'examples', 'default'].includes(key)) yield* schemasBelow(value, `${place}.${key}`);
}

it('no schema has a type next to its alternatives: that hides them from generators of types', () => {
  const both = [...schemasBelow(openapi, '')].filter(
    ([, schema]) => Array.isArray(schema['anyOf']) && 'type' in schema,
  );
  expect(both.map(([place]) => place)).toEqual([]);
});

it('the values that a schema lists have its type', () => {
  const wrong = [...schemasBelow(openapi, '')].filter(
    ([, { type, enum: values }]) =>
      Array.isArray(values) &&
      ['integer', 'number'].includes(String(type)) &&
      values.some((one) => typeof one !== 'number'),
  );
  expect(wrong.map(([place]) => place)).toEqual([]);
});

/** The values that a schema lists, with those of its alternatives. */
function valuesOf({ enum: values, const: one, anyOf, type }: Schema): unknown[] {
  if (Array.isArray(anyOf)) return anyOf.flatMap(valuesOf);
  if (type === 'null') return [null];
  return (values as unknown[]) ?? (one === undefined ? ['any'] : [one]);
}

it.each([
  ['PayoutRequest', 'method', ['webhook', 'manual', null]],
  ['Payout', 'status', [0, 1, 2, 3, 4]],
  ['Accrual', 'status', [0, 1, 2]],
  ['Broadcast', 'status', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  ['ReportUser', 'user_status', ['active', 'blocked', 'deactivated', null]],
])('the schema %s lists each value of %s', (name, field, values) => {
  expect(valuesOf(schemas[name].properties[field])).toEqual(values);
});
