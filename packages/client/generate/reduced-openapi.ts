import { AMOUNTS, AMOUNTS_IN_REQUESTS, hasAmounts } from '../src/amounts.ts';

export interface Schema {
  readonly $ref?: string;
  type?: string | string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
}
interface Parameter {
  readonly $ref?: string;
  readonly in?: string;
  readonly name?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

/** A call, with the names of its schemas. */
export interface Call {
  readonly path: string;
  readonly method: string;
  readonly query: string | undefined;
  readonly body: string | undefined;
  readonly answer: string;
  readonly hasCsv: boolean;
}
export interface Reduced {
  readonly calls: readonly Call[];
  readonly schemas: Readonly<Record<string, Schema>>;
}

/** The part of the document that clients of bots use, as the client gives it to its callers. */
export function reducedOpenApi(document: OpenApi): Reduced {
  const schemas: Record<string, Schema> = structuredClone(document.components.schemas);
  const { parameters } = document.components;
  const calls = Object.entries(document.paths)
    .filter(([path]) => isForClients(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => callOf({ path, method, operation, parameters, schemas })),
    );
  // The client's `csv` asks for that form, so that the result of any other call has one type.
  for (const { body, hasCsv } of calls) if (hasCsv && body !== undefined) delete schemas[body]!.properties!['format'];
  for (const { path, answer } of calls)
    if (hasAmounts(path)) for (const name of reachable(schemas, [answer])) amountsAsText(schemas[name]!);
  for (const [name, field] of Object.values(AMOUNTS_IN_REQUESTS)) {
    const amount = schemas[name]!.properties![field]!;
    amount.type = [amount.type!, 'string'].flat();
  }
  const used = reachable(
    schemas,
    calls.flatMap(({ query, body, answer }) => [query ?? [], body ?? [], answer].flat()),
  );
  return { calls, schemas: Object.fromEntries([...used].sort().map((name) => [name, schemas[name]!])) };
}

/**
 * The webhook is called by the platform, `/admin/v1` by operators. Exports are streams without end, a statement is a PDF. No call
 * returns them.
 */
function isForClients(path: string): boolean {
  return path.startsWith('/v1/') && !/^\/v1\/(webhook\/|export\/|referral\/statement$)/.test(path);
}

interface Declared extends Pick<Call, 'path' | 'method'> {
  readonly operation: Operation;
  readonly parameters: OpenApi['components']['parameters'];
  /** Gets the schemas that have no name yet. */
  readonly schemas: Record<string, Schema>;
}

function callOf({ path, method, operation, parameters, schemas }: Declared): Call {
  const name = operation.operationId.replace(/^./, (first) => first.toUpperCase());
  const named = (kind: string, schema: Schema | undefined): string | undefined => {
    if (schema?.$ref !== undefined) return lastPart(schema.$ref);
    if (schema === undefined) return undefined;
    if (`${name}${kind}` in schemas) throw new Error(`two schemas would be named ${name}${kind}`);
    schemas[`${name}${kind}`] = schema;
    return `${name}${kind}`;
  };
  // Errors are thrown as classes.
  const [, success] = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))!;
  const content = success.content!;
  const hasCsv = 'text/csv' in content;
  const given = (operation.parameters ?? []).map((one) =>
    one.$ref === undefined ? one : parameters[lastPart(one.$ref)]!,
  );
  return {
    ...{ path, method, hasCsv },
    query: named('Query', queryOf(given.filter((one) => !(hasCsv && one.name === 'format')))),
    body: named('Body', operation.requestBody?.content['application/json']?.schema),
    answer: named('Answer', content['application/json']!.schema)!,
  };
}

/** The parameters of the query as an object. Keys are options of the client and of its calls. */
function queryOf(parameters: readonly Parameter[]): Schema | undefined {
  const query = parameters.filter((one) => one.in === 'query');
  if (query.length === 0) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(
      query.map(({ name, schema, description }) => [
        name!,
        { ...schema, ...(description === undefined ? {} : { description }) },
      ]),
    ),
    required: query.filter(({ required }) => required === true).map(({ name }) => name!),
  };
}

const lastPart = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

function amountsAsText(part: object): void {
  for (const [key, value] of Object.entries(part)) {
    if (typeof value !== 'object' || value === null) continue;
    if (key === 'properties')
      for (const name of AMOUNTS)
        for (const schema of numbersIn((value as Record<string, Schema>)[name])) asText(schema);
    amountsAsText(value);
  }
}

/** The schema itself, or its alternatives, if they are numbers. */
function numbersIn(schema: Schema | undefined): Schema[] {
  const all = schema === undefined ? [] : [schema, ...(schema.anyOf ?? [])];
  return all.filter(({ type }) => [type].flat().includes('number'));
}

function asText(schema: Schema): void {
  schema.type = [schema.type!].flat().map((type) => (type === 'number' ? 'string' : type));
}

/** The schemas of these names, and the schemas that they name. */
function reachable(schemas: Readonly<Record<string, Schema>>, names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, other] of JSON.stringify(schemas[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g)) visit(other!);
  };
  names.forEach(visit);
  return found;
}
