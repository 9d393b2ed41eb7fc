import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/source-files.ts';

/** Fields of which the interface lists every value have these values in openapi.json, and so in the types of the clients. */

const openapi = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));

interface Schema {
  readonly [key: string]: unknown;
}

function* schemasBelow(part: unknown, place: string): Generator<readonly [string, Schema]> {
  if (typeof part !== 'object' || part === null) return;
  yield [place, part as Schema];
  for (const [key, value] of Object.entries(part))
    if (!['example', 'examples', 'default'].includes(key)) yield* schemasBelow(value, `${place}.${key}`);
}

it('no schema has a type beside its alternatives, which hides them from generators of types', () => {
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
const body = (path: string) => openapi.paths[path].post.requestBody.content['application/json'].schema.properties;
const data = (path: string) => {
  const schema = openapi.paths[path].get.responses['200'].content['application/json'].schema;
  return schema.properties.data.properties;
};

it.each([
  ['the method of a payout', () => body('/v1/referral/payout').method, ['webhook', 'manual', null]],
  ['the status of a payout', () => data('/v1/referral/payouts').payouts.items.properties.status, [0, 1, 2, 3, 4]],
  ['the status of an accrual', () => data('/v1/referral/accruals').accruals.items.properties.status, [0, 1, 2]],
  [
    'the status of a broadcast',
    () => openapi.components.schemas.Broadcast.properties.status,
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
  ],
  [
    'the status of a user behind a number',
    () => openapi.components.schemas.ReportUser.properties.user_status,
    ['active', 'blocked', 'deactivated', null],
  ],
])('%s is closed', (_, schema, values) => {
  expect(valuesOf(schema())).toEqual(values);
});
