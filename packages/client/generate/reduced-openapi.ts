import { AMOUNTS, AMOUNTS_IN_REQUESTS, hasAmounts } from '../src/amounts.ts';

interface Schema {
  type?: string | string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Record<string, Schema>;
}
interface Operation {
  parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: object;
  responses: Readonly<Record<string, object>>;
}
export interface OpenApi {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { schemas: Readonly<Record<string, Schema>> };
}

/** The part of the document that clients of bots use, as the client gives it to its callers. Changes the document. */
export function reducedOpenApi(document: OpenApi): OpenApi {
  document.paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => isForClients(path)));
  for (const [path, methods] of Object.entries(document.paths))
    for (const operation of Object.values(methods)) {
      // Errors are thrown as classes.
      operation.responses = Object.fromEntries(
        Object.entries(operation.responses).filter(([status]) => status.startsWith('2')),
      );
      // Keys are options of the client and of its calls.
      operation.parameters = (operation.parameters ?? []).filter((parameter) => parameter.in !== 'header');
      if (JSON.stringify(operation.responses).includes('"text/csv"')) withoutFormat(operation, document);
      if (hasAmounts(path)) amountsAsText(operation.responses);
    }
  document.components.schemas = Object.fromEntries(
    [...namedSchemas(document)].map((name) => [name, document.components.schemas[name]!]),
  );
  for (const [name, field] of Object.values(AMOUNTS_IN_REQUESTS)) {
    const amount = document.components.schemas[name]!.properties![field]!;
    amount.type = [amount.type!, 'string'].flat();
  }
  return document;
}

/** The webhook is called by the platform, `/admin/v1` by operators. Exports are streams without end, which no call returns. */
function isForClients(path: string): boolean {
  return path.startsWith('/v1/') && !path.startsWith('/v1/webhook/') && !path.startsWith('/v1/export/');
}

/** `csv` of the client asks for that form, so that the result of any other call has one type. */
function withoutFormat(operation: Operation, { components }: OpenApi): void {
  operation.parameters = operation.parameters!.filter(({ name }) => name !== 'format');
  const [, body] = /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(operation.requestBody ?? {})) ?? [];
  if (body !== undefined) delete components.schemas[body]!.properties!['format'];
}

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

/** The schemas that the paths name, and those that these name. */
function namedSchemas({ paths, components }: OpenApi): Set<string> {
  const found = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name!)) continue;
      found.add(name!);
      visit(components.schemas[name!]);
    }
  };
  visit(paths);
  return found;
}
