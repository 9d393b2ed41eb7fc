import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withComponents } from '../../../src/api/openapi-components.ts';
import { ROOT, sourceFiles } from '../../support/source-files.ts';

/** openapi.json describes each shape once, as a component. */

type Json = Readonly<Record<string, unknown>>;
const openapi = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));

const NAMES_AND_EXAMPLES = ['description', 'example', 'examples'];
function* objectsBelow(part: unknown, place: string): Generator<readonly [place: string, shape: string]> {
  if (typeof part !== 'object' || part === null) return;
  const { properties } = part as { readonly properties?: object };
  if (properties !== undefined && Object.keys(properties).length > 1)
    yield [place, JSON.stringify(part, (key, value) => (NAMES_AND_EXAMPLES.includes(key) ? undefined : value))];
  for (const [key, value] of Object.entries(part))
    if (!NAMES_AND_EXAMPLES.includes(key)) yield* objectsBelow(value, `${place}/${key}`);
}

describe('openapi.json', () => {
  it('has each object with several fields once, but for `ok` and `data` around an answer', () => {
    const places = new Map<string, string[]>();
    for (const [place, shape] of objectsBelow(openapi, ''))
      if (!/\/responses\/2\d\d\/content\/application\/json\/schema$/.test(place))
        places.set(shape, [...(places.get(shape) ?? []), place]);
    expect(places.size).toBeGreaterThan(100);
    expect([...places.values()].filter((found) => found.length > 1)).toEqual([]);
  });

  it('has each answer of an error once, but for that of send-target', () => {
    const inline = Object.entries<Json>(openapi.paths).flatMap(([path, methods]) =>
      Object.values(methods as Record<string, { responses: Record<string, Json> }>).flatMap(({ responses }) =>
        Object.entries(responses)
          .filter(([status, answer]) => status >= '400' && !('$ref' in answer))
          .map(([status]) => `${path} ${status}`),
      ),
    );
    expect(inline).toEqual(['/v1/send-target 400']);
  });

  it('refers to each component, and to nothing else', () => {
    const text = JSON.stringify(openapi);
    const named = Object.entries<Json>(openapi.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, parts]) => Object.keys(parts).map((name) => `#/components/${kind}/${name}`));
    const referred = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to!));
    expect([...referred].sort()).toEqual(named.sort());
  });
});

it('each name of a schema is in the code once, is a noun in camel case, and no suffix of the library', () => {
  const ids = sourceFiles('src').flatMap(({ text }) => [...text.matchAll(/\bid: '(\w+)'/g)].map(([, id]) => id!));
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(ids.filter((id) => !/^[A-Z][A-Za-z]+$/.test(id) || id.endsWith('Input'))).toEqual([]);
  const components = Object.keys(openapi.components.schemas);
  expect(components.length).toBeGreaterThan(100);
  expect(components.filter((name) => !ids.includes(name))).toEqual([]);
});

describe('withComponents', () => {
  const objectOf = (field: string) => ({ type: 'object', properties: { [field]: { type: 'string' } } });
  const using = (schemas: Json) => ({
    paths: { '/x': { post: { parameters: Object.keys(schemas).map(ref) } } },
    components: { schemas },
  });
  const ref = (name: string) => ({ name, schema: { $ref: `#/components/schemas/${name}` } });

  it('gives a schema of requests and answers one component, with the form for requests', () => {
    const closed = { ...objectOf('a'), additionalProperties: false };
    const { components } = withComponents(using({ ThingInput: objectOf('a'), Thing: closed }));
    expect(components.schemas).toEqual({ Thing: objectOf('a') });
  });

  it('refuses one name for a schema of requests and another of answers', () => {
    expect(() => withComponents(using({ ThingInput: objectOf('a'), Thing: objectOf('b') }))).toThrow(
      'the schema Thing differs between requests and answers',
    );
  });

  it('refuses one name for two parameters that operations share', () => {
    const get = (description: string) => ({ get: { parameters: [{ name: 'limit', in: 'query', description }] } });
    const paths = Object.fromEntries(['a', 'a', 'a', 'b', 'b', 'b'].map((text, index) => [`/${index}`, get(text)]));
    expect(() => withComponents({ paths })).toThrow('shared parameters need names that differ');
  });
});
