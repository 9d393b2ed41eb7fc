import fc from 'fast-check';

/** Values that a JSON schema describes, and values that are almost valid. */

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly examples?: readonly unknown[];
  readonly example?: unknown;
}

/** Schemas by the last part of their `$ref`. */
export type Schemas = Readonly<Record<string, Schema>>;
/** Values that exist in the service (ids, names), by property name. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

const MOST_ITEMS = 4;
const DEEPEST = 6;

/** Values of a schema. A property with known values mostly gets one of these. */
export function valuesOf(schema: Schema, schemas: Schemas, known: KnownValues, depth = 0): fc.Arbitrary<unknown> {
  const inner = (child: Schema): fc.Arbitrary<unknown> => valuesOf(child, schemas, known, depth + 1);
  const { $ref, anyOf, oneOf, allOf } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    if (schemas[name] === undefined) throw new Error(`${$ref} leads nowhere`);
    return valuesOf(schemas[name], schemas, known, depth);
  }
  const examples = [...(schema.examples ?? []), ...(schema.example === undefined ? [] : [schema.example])];
  if (examples.length > 0) {
    const { examples: _examples, example: _example, ...rest } = schema;
    return fc.oneof(fc.constantFrom(...examples), valuesOf(rest, schemas, known, depth));
  }
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (anyOf !== undefined || oneOf !== undefined) return fc.oneof(...(anyOf ?? oneOf!).map(inner));
  if (allOf !== undefined) return fc.tuple(...allOf.map(inner)).map((parts) => Object.assign({}, ...parts));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type: string) => inner({ ...schema, type })));
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: least(schema) ?? -5, max: Math.min(schema.maximum ?? 50, (least(schema) ?? 0) + 50) });
    case 'number':
      return fc.oneof(fc.integer({ min: least(schema) ?? -5, max: 1000 }), fc.constantFrom(0.1, 19.99, 1e15));
    case 'string':
      return texts(schema);
    case 'array': {
      const minLength = schema.minItems ?? 0;
      const maxLength = Math.max(minLength, Math.min(schema.maxItems ?? MOST_ITEMS, MOST_ITEMS));
      return fc.array(inner(schema.items ?? {}), { minLength, maxLength });
    }
    case 'object':
      return objects(schema, known, inner);
    default:
      return depth > DEEPEST ? fc.constant(null) : anything;
  }
}

function least({ minimum, exclusiveMinimum }: Schema): number | undefined {
  return exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1;
}

function texts({ pattern, format, minLength = 0, maxLength = 30 }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constantFrom('2026-01-31T12:00:00.000Z', '2026-02-01T00:00:00.123+02:00');
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 30)), unit: 'grapheme' });
}

function objects(
  { properties = {}, required = [], additionalProperties }: Schema,
  known: KnownValues,
  inner: (schema: Schema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const model = Object.entries(properties).map(([name, schema]): [string, fc.Arbitrary<unknown>] => {
    const values = known[name];
    const value = inner(schema);
    return [name, values === undefined ? value : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, value)];
  });
  const named = fc.record<Record<string, unknown>, string>(Object.fromEntries(model), {
    requiredKeys: required.filter((name) => name in properties),
  });
  if (typeof additionalProperties !== 'object') return named;
  const more = fc.dictionary(fc.string({ maxLength: 10 }), inner(additionalProperties), { maxKeys: 2 });
  return fc.tuple(named, more).map(([a, b]) => ({ ...b, ...a }));
}

/** Any value, for places where none is expected. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 53, 1e300, '', '\0', '\ud800', "'", '__proto__', [], {}, [[]]),
  fc.jsonValue({ maxDepth: 2 }),
);

/** The values with some of their parts, at any depth, removed, added or replaced. */
export function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.tuple(
    fc.nat(),
    fc.option(anything, { nil: undefined, freq: 4 }),
    fc.constantFrom('x', '__proto__'),
  );
  return fc
    .tuple(values, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) =>
      changes.reduce<unknown>((root, [place, by, key]) => changed(root, place, by, key), value),
    );
}

function changed(root: unknown, place: number, by: unknown, key: string): unknown {
  const count = size(root);
  const at = place % (count + 1);
  if (at === count && typeof root === 'object' && root !== null && !Array.isArray(root))
    return Object.fromEntries([...Object.entries(root), [key, by]]);
  return replacedAt(root, at, by);
}

/** The number of values in a value, itself included. */
function size(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, child) => sum + size(child), 1);
}

/** @param by undefined removes the value */
function replacedAt(value: unknown, at: number, by: unknown): unknown {
  if (at === 0 || typeof value !== 'object' || value === null) return by;
  let before = 1;
  const entries = Object.entries(value).map(([key, child]): [string, unknown] => {
    const from = before;
    before += size(child);
    return [key, at >= from && at < before ? replacedAt(child, at - from, by) : child];
  });
  const kept = entries.filter(([, child]) => child !== undefined);
  return Array.isArray(value) ? kept.map(([, child]) => child) : Object.fromEntries(kept);
}
