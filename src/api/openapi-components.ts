import { NO_ID } from '../domain/storable-json.ts';

/** Named components of the OpenAPI document, so that it describes each answer, parameter and schema once. */

interface ErrorAnswer {
  /** Of the component. */
  readonly name: string;
  readonly description: string;
  /** A text as the service answers it. */
  readonly error: string;
}

/** The answers that any operation may give, by status. */
const ERRORS: Readonly<Record<string, ErrorAnswer>> = {
  400: {
    name: 'BadRequest',
    description: 'A parameter is missing or wrong; `details` point at it',
    error: `${NO_ID} (at user_id)`,
  },
  401: { name: 'Unauthorized', description: 'API key missing or invalid', error: 'API key missing' },
  403: {
    name: 'Forbidden',
    description: 'Premium plan required, or not within the reach of the key',
    error: 'Premium plan required',
  },
  404: { name: 'NotFound', description: 'Not found', error: 'no bot for this resource_key' },
  408: {
    name: 'RequestTimeout',
    description: 'The body arrives too slowly',
    error: 'the body arrives more slowly than 16384 bytes a second',
  },
  409: {
    name: 'Conflict',
    description: 'The same Idempotency-Key is in progress, or the state of the named thing forbids the call',
    error: 'a request with this Idempotency-Key is being worked on',
  },
  413: {
    name: 'ContentTooLarge',
    description: 'The body is too large',
    error: 'the body is larger than 1048576 bytes',
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is not application/json, or is compressed',
    error: 'the body must be sent with Content-Type: application/json',
  },
  422: {
    name: 'UnprocessableContent',
    description: 'The Idempotency-Key was used with another body',
    error: 'this Idempotency-Key was used with another body',
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests; see Retry-After',
    error: 'too many requests with this key',
  },
  500: {
    name: 'InternalServerError',
    description: 'Internal error, or outcome unknown: repeat with the same Idempotency-Key',
    error: 'outcome unknown, repeat with the same Idempotency-Key',
  },
  502: {
    name: 'BadGateway',
    description: 'The report or the count took too long',
    error: 'the report took longer than 15000 ms: narrow the period',
  },
  503: {
    name: 'ServiceUnavailable',
    description: 'Certainly not done: overloaded, starting, stopping, or log or database down; see Retry-After',
    error: 'the log is not available, try again',
  },
};

/** As many operations share a parameter before it has a name. */
const SHARED_FROM = 3;

interface Parameter {
  readonly name: string;
}
interface Operation {
  readonly operationId?: string;
  parameters?: object[];
  readonly responses?: Record<string, object>;
}
interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, object>> };
}

const reference = (kind: string, name: string): object => ({ $ref: `#/components/${kind}/${name}` });

/**
 * Names the parameters, error answers and schemas that operations share. Changes the operations.
 * @throws Error if two of them would have one name
 */
export function withComponents<D extends object>(document: D): D {
  const { paths = {}, components } = document as Document;
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const parameters = nameParameters(operations);
  const responses = nameErrors(operations);
  return withSchemas({ ...document, components: { ...components, parameters, responses } });
}

/** @returns the answers that the operations refer to, by name. @throws Error for a status that `ERRORS` lacks */
function nameErrors(operations: readonly Operation[]): Record<string, object> {
  const named: Record<string, object> = {};
  for (const { operationId, responses = {} } of operations)
    for (const status of Object.keys(responses)) {
      const error = ERRORS[status];
      if (error === undefined && status >= '400') throw new Error(`the error ${status} of ${operationId} has no name`);
      if (error === undefined) continue;
      if (status === '400' && operationId === 'sendTarget') responses[status] = described(error, INVALID_TARGET);
      else {
        named[error.name] = described(error, exampleOf(Number(status), error));
        responses[status] = reference('responses', error.name);
      }
    }
  return sorted(named);
}

/** `send-target` has its own form (decisions.md#send-target-errors). */
const INVALID_TARGET = { ok: false, error: { user_id: [NO_ID] }, error_code: 400 };

function exampleOf(error_code: number, { error }: ErrorAnswer): object {
  const details = error_code === 400 ? { details: [{ path: 'user_id', message: NO_ID }] } : {};
  return { ok: false, error, error_code, ...details };
}

function described({ description }: ErrorAnswer, example: object): object {
  return { description, content: { 'application/json': { schema: reference('schemas', 'Error'), example } } };
}

/** @returns the parameters that the operations refer to, by name */
function nameParameters(operations: readonly Operation[]): Record<string, object> {
  const uses = new Map<string, number>();
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters.map((one) => JSON.stringify(one))))
    uses.set(parameter, (uses.get(parameter) ?? 0) + 1);
  const shared = [...uses].filter(([, times]) => times >= SHARED_FROM).map(([parameter]) => parameter);
  const named = new Map(shared.map((parameter) => [componentName(JSON.parse(parameter)), parameter]));
  if (named.size < shared.length) throw new Error(`shared parameters need names that differ: ${shared.join(', ')}`);
  for (const operation of operations)
    if (operation.parameters !== undefined)
      operation.parameters = operation.parameters.map((parameter) => {
        const name = componentName(parameter as Parameter);
        return named.get(name) === JSON.stringify(parameter) ? reference('parameters', name) : parameter;
      });
  return sorted(Object.fromEntries([...named].map(([name, parameter]) => [name, JSON.parse(parameter)])));
}

/** idempotency-key -> IdempotencyKey */
const componentName = ({ name }: Parameter): string =>
  name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase());

const sorted = <T>(named: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The library appends it to the name of a schema of requests. */
const INPUT = 'Input';

/**
 * Leaves out schemas that nothing refers to: the library lists each for requests and for answers. A schema of both has one
 * component, with the form for requests: the form for answers differs only by `additionalProperties: false`.
 * @throws Error if the two differ otherwise: they need two names
 */
function withSchemas<D extends object>(document: D): D {
  const { components = {}, ...rest } = document as Document & { components?: Record<string, unknown> };
  const schemas = (components['schemas'] ?? {}) as Readonly<Record<string, object>>;
  const used = usedSchemas([rest, components['parameters'], components['responses']], schemas);
  const named: Record<string, object> = {};
  // The forms for requests come last.
  for (const name of [...used].sort((a, b) => Number(a.endsWith(INPUT)) - Number(b.endsWith(INPUT)))) {
    const before = named[plainName(name)];
    if (before !== undefined && openForm(before) !== openForm(schemas[name]!))
      throw new Error(`the schema ${plainName(name)} differs between requests and answers: it needs two names`);
    named[plainName(name)] = schemas[name]!;
  }
  const text = JSON.stringify({ ...rest, components: { ...components, schemas: sorted(named) } }, withoutDoubleBounds);
  return JSON.parse(text.replace(REFERENCES, (_, name: string) => `"${SCHEMAS}${plainName(name)}"`));
}

const plainName = (name: string): string => (name.endsWith(INPUT) ? name.slice(0, -INPUT.length) : name);

/** A schema as a text, without `additionalProperties: false`. */
const openForm = (schema: object): string =>
  JSON.stringify(schema, (key, value: unknown) =>
    key === 'additionalProperties' && value === false ? undefined : value,
  ).replace(REFERENCES, (_, name: string) => plainName(name));

/** Leaves out the bounds ±(2^53 - 1): the description of the document gives them for all integers. */
function withoutDoubleBounds(_key: string, value: unknown): unknown {
  const { minimum, maximum, ...rest } = Object(value) as { minimum?: unknown; maximum?: unknown };
  return minimum === Number.MIN_SAFE_INTEGER && maximum === Number.MAX_SAFE_INTEGER ? rest : value;
}

const SCHEMAS = '#/components/schemas/';
const REFERENCES = /"#\/components\/schemas\/([^"]+)"/g;

/** The names of the schemas that the parts refer to, also by other schemas. */
function usedSchemas(parts: readonly unknown[], schemas: Readonly<Record<string, object>>): Set<string> {
  const used = new Set<string>();
  const pending = [...parts];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const [, name] of JSON.stringify(next).matchAll(REFERENCES)) {
      if (used.has(name!)) continue;
      used.add(name!);
      pending.push(schemas[name!]);
    }
  return used;
}
