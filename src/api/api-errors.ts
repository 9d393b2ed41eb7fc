import { METHODS, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { isDatabaseDown, StatementTimeoutError } from '../database/database-errors.ts';
import type { Problem } from '../domain/problem.ts';
import { Rejection, type RejectionCode } from '../domain/rejection.ts';
import {
  CommitTooLargeError,
  ConflictError,
  LogBusyError,
  LogUnavailableError,
  OutcomeUnknownError,
  WrongClockError,
} from '../log/port.ts';
import { ReadModelNotReadyError } from '../projections/reader.ts';

/** The error body of every answer but one (decisions.md#response-bodies). */
export interface ErrorBody {
  readonly ok: false;
  readonly error: string | Readonly<Record<string, readonly string[]>>;
  /** Equal to the HTTP status. */
  readonly error_code: number;
  readonly details?: readonly Problem[];
}

/** Most details in an answer. */
const MAX_DETAILS = 100;

/**
 * An answer that is not 2xx. Errors of the domain and the log know no HTTP: {@link handleErrors} converts them to
 * these.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    message: string,
    readonly details: readonly Problem[] = [],
    /** Seconds after which to try again. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }

  body(): ErrorBody {
    const details = this.details.length === 0 ? {} : { details: this.details.slice(0, MAX_DETAILS) };
    return { ok: false, error: this.message, error_code: this.status, ...details };
  }
}

/** The form of only send-target: field names with their messages (interface.md, Errors). */
export class TargetValidationError extends ApiError {
  constructor(problems: readonly Problem[]) {
    super(400, 'send-target validation', problems);
  }

  override body(): ErrorBody {
    const error: Record<string, string[]> = Object.create(null);
    for (const { path, message } of this.details) {
      error[path] ??= [];
      error[path].push(message);
    }
    return { ok: false, error, error_code: 400 };
  }
}

/** A 400 that names every problem. The text starts with the first one's message, for clients that match on it. */
export function invalid(problems: readonly Problem[]): ApiError {
  const { path, message } = problems[0]!;
  return new ApiError(400, path === '' ? message : `${message} (at ${path})`, problems);
}

export const unavailable = (message: string): ApiError => new ApiError(503, message, [], 1);

/**
 * The error to throw after a failed count. @param what the counted things, for the caller @param advice follows the
 * reason
 */
export function failedCount(error: unknown, signal: AbortSignal, what: string, advice = ''): unknown {
  if (signal.aborted) return unavailable('the caller has gone');
  return error instanceof StatementTimeoutError ? new ApiError(502, `${what}: ${error.message}${advice}`) : error;
}

/** The HTTP status of each kind of refusal of the domain. */
const STATUS_OF: Readonly<Record<RejectionCode, number>> = { invalid: 400, limit: 400, not_found: 404, conflict: 409 };

/** The one place where errors become HTTP answers. Never a stack trace, never SQL, never a key. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const answer = toApiError(error);
    // 503 is overload or an outage. Its cause is logged where it occurs; a line for each request would drown that.
    if (answer.status >= 500 && answer.status !== 503) request.log.error({ err: error }, 'request failed');
    if (answer.retryAfter !== undefined) void reply.header('retry-after', String(answer.retryAfter));
    // A body that was not read to its end cannot be followed by another request.
    if (answer.status === 413) void reply.header('connection', 'close');
    return send(reply, answer);
  });
  app.setNotFoundHandler((_request, reply) => send(reply, new ApiError(404, 'no such path')));
}

/** Answers requests that Fastify refuses before it has found a route: a malformed URL, a path segment that is too long. */
export function answerFrameworkError(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  void send(reply, toApiError(error));
}

/** By the error code of Node's parser. Its other errors are a 400. */
const MALFORMED: Readonly<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: new ApiError(431, 'the headers are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError(408, 'the request took too long to arrive'),
};
const NOT_HTTP = new ApiError(400, 'the request is not valid HTTP');

/** Answers bytes that are no HTTP request. Logs nothing: the error carries the packet, and that may hold a key. */
export function answerMalformedHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const answer = MALFORMED[error.code ?? ''] ?? NOT_HTTP;
  const body = JSON.stringify(answer.body());
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function send(reply: FastifyReply, answer: ApiError): FastifyReply {
  // The rest of the body may never come.
  if (answer.status === 408) void reply.header('connection', 'close');
  return reply.status(answer.status).type('application/json; charset=utf-8').send(JSON.stringify(answer.body()));
}

function toApiError(error: FastifyError): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Rejection) {
    const { path, message, allowed } = error;
    return new ApiError(STATUS_OF[error.code], message, [
      { path, message, ...(allowed.length === 0 ? {} : { allowed }) },
    ]);
  }
  // Other commands won every attempt of this one: the stream is busy, and nothing was written.
  if (error instanceof ConflictError) return unavailable('too many changes at once, try again');
  if (error instanceof OutcomeUnknownError)
    return new ApiError(500, 'outcome unknown, repeat with the same Idempotency-Key');
  if (error instanceof CommitTooLargeError) return new ApiError(413, 'the request is too large for the log');
  if (error instanceof WrongClockError) return unavailable(error.message);
  if (error instanceof LogBusyError) return new ApiError(503, error.message, [], error.retryAfterSeconds);
  if (error instanceof LogUnavailableError) return unavailable('the log is not available, try again');
  if (error instanceof ReadModelNotReadyError) return unavailable(error.message);
  if (isDatabaseDown(error)) return unavailable('the database is not available, try again');
  // Fastify's own refusals carry a status. Their texts hold the URL, and that may hold a key.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return new ApiError(
      error.statusCode,
      error.code === 'FST_ERR_BAD_URL' ? 'the URL is malformed' : 'the request is malformed',
    );
  return new ApiError(500, 'internal error');
}

/**
 * Makes a path that exists answer 405 to every method that it does not have, also to methods that Fastify does not know.
 * Called before all routes are added; the function that it returns is called after.
 */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const urls = new Set<string>();
  app.addHook('onRoute', ({ url }) => {
    urls.add(url);
  });
  return () => {
    for (const url of [...urls]) {
      // The hook does not see every route that Fastify adds by itself.
      const has = (method: string): boolean => app.hasRoute({ method: method as HTTPMethods, url });
      const allowed = METHODS.filter(has).join(', ');
      const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
        void reply.header('allow', allowed);
        throw new ApiError(405, `${request.method} is not allowed here, but ${allowed}`);
      };
      app.route({
        method: METHODS.filter((method) => !has(method)) as HTTPMethods[],
        url,
        schema: { hide: true },
        // Refuses before the body is read, and before a missing body is noticed.
        onRequest: refuse,
        handler: refuse,
      });
    }
  };
}
