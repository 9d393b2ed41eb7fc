import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { stringify } from 'lossless-json';
import { z } from 'zod';
import type { Problem } from '../domain/problem.ts';
import type { AccessControl, AccessRule } from './access.ts';
import { invalid } from './api-errors.ts';
import { SMALL_BODY } from './body.ts';
import { allowOrigins, answerPreflight, type CorsOrigins } from './cors.ts';
import { nameAsOf, revalidate } from './revalidation.ts';
import { problem } from './shapes.ts';

/** An endpoint, declared as one object. The service's checks and OpenAPI both come from it. */
export interface Route<Query extends z.ZodType, Body extends z.ZodType> {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag:
    | 'Intake'
    | 'Reports'
    | 'Saved segments'
    | 'Broadcasts'
    | 'Referrals'
    | 'Exports'
    | 'Settings'
    | 'Operations';
  readonly access: AccessRule;
  /** Parameters of the path, for OpenAPI. */
  readonly params?: z.ZodType;
  readonly query?: Query;
  /** The body's schema for OpenAPI. It also checks the body, unless `check` does. */
  readonly body?: Body;
  /** Checks the parsed body if a schema cannot point at the wrong value. @throws ApiError */
  readonly check?: (body: unknown, request: FastifyRequest) => z.output<Body> | Promise<z.output<Body>>;
  readonly bodyLimit?: number;
  /** Whether the route accepts an Idempotency-Key, so that a repeat changes nothing. */
  readonly idempotent?: boolean;
  /** Further headers of the request, for OpenAPI. */
  readonly headers?: z.ZodObject;
  /** The status of success. 202: the work is done later. Default 200. */
  readonly status?: 202;
  /** Shape of the answer of success. */
  readonly answer: z.ZodType;
  /** Other media types of the answer; the handler sets them. */
  readonly otherMedia?: readonly string[];
  /** Media types of an answer that is never JSON and may be without end; the handler sets them. Such a route has no HEAD. */
  readonly media?: readonly string[];
  /** Statuses besides 200 and the statuses that every route shares. */
  readonly errors?: readonly number[];
  /** Whether the answer may have exact decimals. They are written with all their digits. */
  readonly exact?: boolean;
  /** Returns the answer. A stream is sent as it arrives, in the media type that the handler has set. */
  handle(input: RouteInput<z.output<Query>, z.output<Body>>): Promise<unknown>;
}

interface RouteInput<Query, Body> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: Query;
  readonly body: Body;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of routes of different shapes; each is checked where it is declared
export type AnyRoute = Route<any, any>;

/** Declares a route and infers the types that its handler gets. */
export function route<Query extends z.ZodType = z.ZodUndefined, Body extends z.ZodType = z.ZodUndefined>(
  declared: Route<Query, Body>,
): AnyRoute {
  return declared;
}

const errorBody = z
  .object({
    ok: z.literal(false),
    error: z.union([z.string(), z.record(z.string(), z.array(z.string()))]),
    error_code: z.int(),
    details: z.array(problem).optional(),
  })
  .meta({ id: 'Error', example: { ok: false, error: 'API key missing', error_code: 401 } });

const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('The same key with the same body within 24 hours changes nothing and gets the first answer'),
});

const KEY = ['apiKey', 'bearer', 'apiKeyInQuery'].map((scheme) => ({ [scheme]: [] }));
/** How most operations are called: with a key, and the name of the bot if the key is for several. */
export const KEY_AND_BOT = [
  ...KEY,
  ...KEY.flatMap((key) => ['resourceKey', 'resourceKeyInQuery'].map((scheme) => ({ ...key, [scheme]: [] }))),
];
/** By access, where it is not `KEY_AND_BOT`, the document's default. */
const SECURITY: Partial<Record<AccessRule['resource'], object[]>> = {
  webhook: [{ secretToken: [] }],
  operator: KEY,
};
const SHARED = [401, 429, 500, 503];
const WITH_RESOURCE = [400, 403, 404];
const WITH_BODY = [400, 408, 413, 415];
const WITH_IDEMPOTENCY = [409, 422];

/** Registers the routes. Web pages of `corsOrigins` may call the intake routes. */
export function registerRoutes(
  app: FastifyInstance,
  control: AccessControl,
  routes: readonly AnyRoute[],
  corsOrigins: CorsOrigins = [],
): void {
  const allow = allowOrigins(corsOrigins);
  for (const declared of routes) {
    const fromPages = corsOrigins.length > 0 && isIntake(declared);
    if (fromPages) app.options(declared.url, { schema: { hide: true }, onRequest: allow, handler: answerPreflight });
    app.route({
      method: declared.method,
      url: declared.url,
      bodyLimit: declared.bodyLimit ?? SMALL_BODY,
      // A HEAD request must not run a GET that changes something, nor make all of an export.
      exposeHeadRoute: !declared.idempotent && declared.media === undefined,
      schema: documentation(declared),
      // Fastify's own check is off: the handler checks after authentication and names every problem.
      validatorCompiler: () => () => true,
      serializerCompiler: () => JSON.stringify,
      onRequest: [
        ...(fromPages ? [allow] : []),
        (request: FastifyRequest) => control.checkKey(request, declared.access),
      ],
      preValidation: (request) => control.checkAccess(request, declared.access),
      // A GET that changes something must run each time.
      ...(declared.method === 'GET' && !declared.idempotent ? { onSend: revalidate } : {}),
      handler: async (request, reply) => {
        const query = declared.query === undefined ? undefined : checkedQuery(declared.query, request.query as object);
        const body = declared.body === undefined ? undefined : await checkedBody(declared, request);
        const answer = await declared.handle({ request, reply, query, body });
        if (declared.status !== undefined) void reply.status(declared.status);
        if (declared.method === 'GET') nameAsOf(reply, answer);
        if (!declared.exact || answer instanceof Readable) return answer;
        return reply.type('application/json; charset=utf-8').send(Buffer.from(stringify(answer)!));
      },
    });
  }
}

/** Whether the route takes events in by an API key. */
function isIntake({ tag, method, access }: AnyRoute): boolean {
  return tag === 'Intake' && method === 'POST' && access.resource !== 'webhook';
}

/** Whether a caller with a valid key may lack the right. */
function needsMore({ premium, personal, owner, act }: AccessRule): boolean {
  return [premium, personal, owner, act].includes(true);
}

function documentation(declared: AnyRoute): object {
  const post = declared.method === 'POST';
  const statuses = new Set([
    ...SHARED,
    ...(['webhook', 'operator'].includes(declared.access.resource) ? [] : WITH_RESOURCE),
    ...(needsMore(declared.access) ? [403] : []),
    ...(declared.query === undefined ? [] : [400]),
    ...(post ? WITH_BODY : []),
    ...(declared.idempotent ? WITH_IDEMPOTENCY : []),
    ...(declared.errors ?? []),
  ]);
  const errors = [...statuses].sort((a, b) => a - b).map((status) => [status, errorBody]);
  const security = SECURITY[declared.access.resource];
  return {
    operationId: declared.operationId,
    summary: declared.summary,
    tags: [declared.tag],
    ...(declared.params === undefined ? {} : { params: declared.params }),
    ...(declared.query === undefined ? {} : { querystring: declared.query }),
    ...(declared.body === undefined ? {} : { body: declared.body }),
    ...(declared.idempotent ? { headers: idempotencyHeaders.extend(declared.headers?.shape ?? {}) } : {}),
    response: { [declared.status ?? 200]: success(declared), ...Object.fromEntries(errors) },
    ...(security === undefined ? {} : { security }),
  };
}

function success({ answer, otherMedia, media }: AnyRoute): object {
  if (otherMedia === undefined && media === undefined) return answer;
  const texts = (media ?? otherMedia ?? []).map((type) => [type, { schema: z.string() }]);
  const json = media === undefined ? { 'application/json': { schema: answer } } : {};
  return { description: 'Default Response', content: { ...json, ...Object.fromEntries(texts) } };
}

/** @throws ApiError 400, naming parameters that are given more than once before all else */
function checkedQuery<S extends z.ZodType>(schema: S, query: object): z.output<S> {
  const repeated = Object.entries(query).filter(([, value]) => Array.isArray(value));
  if (repeated.length > 0) throw invalid(repeated.map(([path]) => ({ path, message: 'is given more than once' })));
  return checked(schema, query);
}

function checkedBody(declared: AnyRoute, request: FastifyRequest): unknown {
  const parsed = request.parsedBody;
  if (parsed === null) throw new Error(`${declared.url} has no parsed body`);
  // A request that waits for the log must not hold both the parsed and the checked body.
  request.parsedBody = null;
  if ('error' in parsed) throw parsed.error;
  return declared.check === undefined ? checked(declared.body, parsed.value) : declared.check(parsed.value, request);
}

/** @throws ApiError 400, naming every problem */
export function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(problemsOf(result.error));
}

/** zod's issues as problems with the paths of decisions.md#response-bodies; `prefix` leads each path. */
export function problemsOf(error: z.ZodError, prefix: readonly PropertyKey[] = []): Problem[] {
  return error.issues.map((issue) => {
    const path = [...prefix, ...issue.path].join('.');
    const { message } = issue;
    return issue.code === 'invalid_value' ? { path, message, allowed: issue.values.map(String) } : { path, message };
  });
}
