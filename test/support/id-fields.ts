/** The fields of requests that name a thing by its id, found in the OpenAPI document. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}
type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Content };
}
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface RequestField {
  readonly operationId: string;
  readonly method: string;
  readonly url: string;
  readonly place: 'path' | 'query' | 'header' | 'body';
  /** In a body with `.` between keys and `[]` for each element: `variants[].name`. */
  readonly path: string;
  /** The last key of the path. */
  readonly name: string;
  /** Whether it holds values of every shape. The document does not describe them. */
  readonly isOpen: boolean;
  /** Whether it holds whole numbers. */
  readonly isWhole: boolean;
  /** Whether it holds only words that the document lists. */
  readonly isListed: boolean;
  /** The example of the operation's body. */
  readonly example: unknown;
}

/** Every leaf of every request. */
export function requestFields({ paths, components: { schemas } }: OpenApi): RequestField[] {
  return Object.entries(paths).flatMap(([url, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, parameters = [], requestBody }]) => {
      const { schema, example } = requestBody?.content['application/json'] ?? {};
      const found = new Map<string, RequestField>();
      const note = (place: RequestField['place'], path: string, leaf: Schema): void => {
        const name = path.replace(/\[\]$/, '').split('.').pop()!;
        const types = [leaf.type].flat();
        const before = found.get(`${place} ${path}`);
        found.set(`${place} ${path}`, {
          ...{ operationId, method: method.toUpperCase(), url, place, path, name, example },
          isOpen: leaf.type === undefined && leaf.enum === undefined,
          isWhole: before?.isWhole === true || types.includes('integer'),
          isListed: before?.isListed !== false && (leaf.enum ?? leaf.const) !== undefined,
        });
      };
      for (const parameter of parameters) note(parameter.in as RequestField['place'], parameter.name, parameter.schema);
      if (schema !== undefined) walk(schema, '', schemas, (path, leaf) => note('body', path, leaf));
      return [...found.values()];
    }),
  );
}

function walk(
  given: Schema,
  path: string,
  schemas: OpenApi['components']['schemas'],
  note: (path: string, leaf: Schema) => void,
): void {
  const schema = given.$ref === undefined ? given : schemas[given.$ref.split('/').pop()!]!;
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  const below = (key: string): string => (path === '' ? key : `${path}.${key}`);
  const parts = [...anyOf, ...oneOf, ...allOf];
  for (const part of parts) walk(part, path, schemas, note);
  for (const [key, property] of Object.entries(properties)) walk(property, below(key), schemas, note);
  if (items !== undefined) walk(items, `${path}[]`, schemas, note);
  // An object with described fields also takes others: the service ignores or refuses them. An object without fields is
  // open.
  const isDescribed = Object.keys(properties).length > 0;
  if (typeof additionalProperties === 'object' && !isDescribed) note(path, {});
  const isLeaf = parts.length === 0 && items === undefined && schema.type !== 'object' && schema.type !== 'null';
  if (isLeaf) note(path, schema);
}

/** The body with a value at the path; missing objects and arrays are made, an array gets it as its first element. */
export function withValue(body: unknown, path: string, value: unknown): unknown {
  if (path === '') return value;
  const [, key, list, rest] = /^([^.[]*)((?:\[\])?)\.?(.*)$/.exec(path)!;
  const inside = (given: unknown): unknown =>
    list === ''
      ? withValue(given, rest!, value)
      : [withValue(Array.isArray(given) ? given[0] : undefined, rest!, value)];
  if (key === '') return inside(body);
  const object = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return { ...object, [key!]: inside(object[key!]) };
}
