import fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/api/exact-json.ts';
import { problemsOf } from '../../../src/api/route.ts';
import { eachProperty } from '../../../src/columns/property-codes.ts';
import { customEvent, targetEvent } from '../../../src/domain/intake/elements.ts';
import { customEventsReceived } from '../../../src/domain/intake/intake-events.ts';
import {
  type EventProperties,
  FIXED_PROPERTIES,
  MAX_PROPERTIES,
  MAX_PROPERTY_TEXT,
  propertiesJson,
  readProperties,
} from '../../../src/domain/intake/properties.ts';

const schemas = [
  [customEvent(() => 0), { event: 'x', user_id: 1 }],
  [targetEvent(() => 0), { target_id: 1, user_id: 1 }],
] as const;

/** The problems of both intake methods, which are the same. */
function problemsIn(properties: unknown): readonly (readonly [path: string, message: string])[] {
  const [custom, target] = schemas.map(([schema, event]) => {
    const { error } = schema.safeParse({ ...event, properties });
    return error === undefined ? [] : problemsOf(error).map(({ path, message }) => [path, message] as const);
  });
  expect(target).toEqual(custom);
  return custom!;
}

/** @param text JSON */
function taken(text: string): EventProperties | undefined {
  const read = readProperties(parseJson(Buffer.from(text)));
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.properties;
}

const name = fc
  .stringMatching(/^[A-Za-z0-9_.-]{1,64}$/)
  .filter((each) => !['__proto__', ...FIXED_PROPERTIES].includes(each));
const decimal = fc
  .tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.stringMatching(/^\d{0,29}[1-9]$/))
  .map(([whole, fraction]) => `${whole}.${fraction}`);
const text = fc.string({ unit: 'binary', maxLength: 40 });

describe('properties of an event', () => {
  it('keep their types, and all digits of their numbers', () => {
    const values = fc.oneof(
      text.map((value) => [JSON.stringify(value), value] as const),
      fc.boolean().map((value) => [String(value), value] as const),
      decimal.map((number) => [number, { number }] as const),
    );
    fc.assert(
      fc.property(
        fc.dictionary(name, values, { minKeys: 1, maxKeys: MAX_PROPERTIES, noNullPrototype: true }),
        (given) => {
          const entries = Object.entries(given);
          const properties = taken(`{${entries.map(([key, [json]]) => `${JSON.stringify(key)}:${json}`).join()}}`)!;
          expect(properties).toEqual(Object.fromEntries(entries.map(([key, [, value]]) => [key, value])));
          // As a row has them, and as packing splits them.
          const json = propertiesJson(properties);
          expect(parse(json)).toMatchObject(Object.fromEntries(entries.map(([key, [own]]) => [key, parse(own)])));
          expect(Object.fromEntries(eachProperty(json))).toEqual(
            Object.fromEntries(entries.map(([key, [own]]) => [key, own])),
          );
        },
      ),
    );
  });

  it('are none if all are null or there are none', () => {
    for (const properties of ['null', '{}', '{"a":null}']) expect(taken(properties)).toBeUndefined();
    expect(taken('{"a":null,"b":1.50}')).toEqual({ b: { number: '1.5' } });
  });

  it('may be as many, as long and as large as the limits say, and no more', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, i]));
    expect(problemsIn(many(MAX_PROPERTIES))).toEqual([]);
    expect(problemsIn({ ...many(MAX_PROPERTIES), absent: null })).toEqual([]);
    expect(problemsIn(many(MAX_PROPERTIES + 1))).toEqual([['properties', 'must have at most 50 values, not 51']]);
    expect(problemsIn({ ['x'.repeat(64)]: '😀'.repeat(MAX_PROPERTY_TEXT), y: 1e15 })).toEqual([]);
    const wrong = { text: 'é'.repeat(MAX_PROPERTY_TEXT + 1), number: 1.1e15, ['x'.repeat(65)]: 1 };
    expect(problemsIn(wrong).map(([path]) => path)).toEqual(Object.keys(wrong).map((each) => `properties.${each}`));
  });

  it.each([
    ['an object', { a: { b: 1 } }, 'properties.a', /^must be a text/],
    ['an array', { a: [1] }, 'properties.a', /^must be a text/],
    ['a text that cannot be stored', { a: '\0' }, 'properties.a', /^must be a text/],
    ['a number that is none', { a: Number.NaN }, 'properties.a', /^must be a text/],
    ['an empty name', { '': 1 }, 'properties', /^the name must have 1 to 64/],
    ['a name with a space', { 'a b': 1 }, 'properties.a b', /^the name must have 1 to 64/],
    ['a name with a letter of another alphabet', { ж: 1 }, 'properties.ж', /^the name must have 1 to 64/],
    ['a fixed name', { category: 'x' }, 'properties.category', /^the name is taken/],
    ['__proto__', JSON.parse('{"__proto__": 1}'), 'properties.__proto__', /^the name is taken/],
    ['an array in their place', [1], 'properties', /^must be an object/],
    ['a text in their place', 'plan', 'properties', /^must be an object/],
    ['a number in their place', 3, 'properties', /^must be an object/],
  ])('are refused for %s', (_, properties, path, message) => {
    expect(problemsIn(properties)).toEqual([[path, expect.stringMatching(message)]]);
  });

  it('leave no trace in the log of an event without them', () => {
    const [schema, event] = schemas[0];
    const item = { event_id: 101, user_id: 1, properties: schema.parse(event).properties };
    expect(JSON.stringify(customEventsReceived.ofChecked({ items: [item] }))).toBe(
      '{"type":"custom_events_received","v":1,"data":{"items":[{"event_id":101,"user_id":1}]}}',
    );
  });
});
