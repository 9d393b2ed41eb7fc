import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inlined } from '../../../docs/generate/inlined.ts';
import { METHODS, methodsFile, namedCalls } from '../../../packages/client/generate/methods-file.ts';
import { headOf, SCHEMA, schemaFile } from '../../../packages/client/generate/schema-file.ts';
import { AMOUNTS, AMOUNTS_IN_REQUESTS, hasAmounts } from '../../../packages/client/src/amounts.ts';
import { takesKey } from '../../../packages/client/src/call.ts';
import { ROOT } from '../../support/source-files.ts';

/** The client's types, and its lists of paths and fields, agree with openapi.json. */

interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [other: string]: unknown;
}
interface Operation {
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
const openapi = inlined<OpenApi>(JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')));
const operations = Object.entries(openapi.paths)
  .filter(([path]) => path.startsWith('/v1/') && !path.startsWith('/v1/webhook/'))
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));

it('src/methods.ts is what the generator makes: else `npm run client-types`', () => {
  expect(readFileSync(METHODS, 'utf8')).toBe(methodsFile());
});

it('each call has one method by its name', () => {
  const names = namedCalls().map(({ group, name }) => `${group}.${name}`);
  expect(names.length).toBeGreaterThan(60);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(['referrals.markReferral', 'broadcasts.createBroadcast', 'savedSegments.saveSegment']),
  );
});

describe('src/schema.ts', () => {
  const file = readFileSync(SCHEMA, 'utf8');
  const types = file.slice(file.indexOf('type Schemas'));

  it('was made from openapi.json as it is: else `npm run client-types`', () => {
    expect(file.slice(0, -types.length)).toBe(headOf(types));
  });

  it.runIf(existsSync(join(ROOT, 'packages/client/generate/node_modules')))('is what the generator makes', async () => {
    expect(file).toBe(await schemaFile());
  });
});

it('the client sends an Idempotency-Key with exactly the calls that take one', () => {
  const wrong = operations.filter(({ path, method, operation }) => {
    const takes = (operation.parameters ?? []).some(({ name }) => name === 'idempotency-key');
    return takes !== takesKey(method.toUpperCase() as 'GET' | 'POST', path);
  });
  expect(operations.length).toBeGreaterThan(50);
  expect(wrong.map(({ path, method }) => `${method} ${path}`)).toEqual([]);
});

it('the calls that answer with CSV are those of `csv`, by their methods', () => {
  const csv = operations.filter(
    ({ path, operation }) =>
      // Exports are streams, which no call returns.
      !path.startsWith('/v1/export/') && JSON.stringify(operation.responses).includes('"text/csv"'),
  );
  expect(csv.map(({ path, method }) => `${method} ${path}`).sort()).toEqual([
    'get /v1/broadcast/recipients',
    'post /v1/reports/run',
  ]);
});

/** The fields of answers, at any depth. */
function fieldsOf(responses: object): [name: string, schema: Schema][] {
  const visited = new Set<string>();
  const visit = (part: unknown): [string, Schema][] => {
    if (typeof part !== 'object' || part === null) return [];
    const { $ref, properties = {} } = part as Schema;
    const isNew = typeof $ref === 'string' && !visited.has($ref) && visited.add($ref);
    const named = isNew ? visit(openapi.components.schemas[$ref.split('/').at(-1)!]) : [];
    return [...Object.entries(properties), ...named, ...Object.values(part).flatMap(visit)];
  };
  return visit(responses);
}
const typesOf = ({ type, anyOf = [] }: Schema): readonly string[] =>
  [...[type].flat(), ...anyOf.flatMap(typesOf)] as string[];

describe('amounts', () => {
  it('are all decimals of the ledger’s answers but durations, and no other field has the name of one', () => {
    const ledger = operations
      .filter(({ path }) => hasAmounts(path))
      .flatMap(({ operation: { responses } }) => fieldsOf(responses));
    const isNumber = ([, schema]: (typeof ledger)[number]): boolean => typesOf(schema).includes('number');
    const numbers = new Set(ledger.filter(isNumber).map(([name]) => name));
    numbers.delete('hold_days');
    expect([...numbers].sort()).toEqual(AMOUNTS);
    expect(ledger.filter((field) => AMOUNTS.includes(field[0]) && !isNumber(field))).toEqual([]);
  });

  it('in requests are the fields that take text', () => {
    for (const [path, [schema, field]] of Object.entries(AMOUNTS_IN_REQUESTS)) {
      expect(openapi.paths).toHaveProperty([path]);
      expect(typesOf(openapi.components.schemas[schema]!.properties![field]!)).toContain('number');
    }
  });
});
