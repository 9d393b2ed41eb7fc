import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseDown } from '../database/errors.ts';
import { Rejection, type RejectionCode } from '../domain/rejection.ts';
import { ConflictError, LogUnavailableError, OutcomeUnknownError } from '../log/port.ts';
import { ReadModelNotReadyError } from '../projections/served-schema.ts';
import { ApiError, unavailable } from './errors.ts';

/** What a domain's refusal is in HTTP. */
const STATUS_OF: Readonly<Record<RejectionCode, number>> = { invalid: 400, limit: 400, not_found: 404, conflict: 409 };

/** The one place where errors become HTTP answers. Never a stack trace, never SQL, never a key. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const answer = toApiError(error);
    // 503 is overload or an outage, which the parts concerned tell of themselves: a line for each request would drown them.
    if (answer.status >= 500 && answer.status !== 503) request.log.error({ err: error }, 'request failed');
    if (answer.retryAfter !== undefined) void reply.header('retry-after', String(answer.retryAfter));
    // A body that was not read to its end cannot be followed by another request.
    if (answer.status === 413) void reply.header('connection', 'close');
    return send(reply, answer);
  });
  app.setNotFoundHandler((_request, reply) => send(reply, new ApiError(404, 'no such path')));
}

/** What Fastify refuses before it has found a route: a malformed URL, a part of the path that is too long. */
export function answerFrameworkError(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  void send(reply, toApiError(error));
}

/** By the code of Node's parser; whatever else it refuses is a 400. */
const MALFORMED: Readonly<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: new ApiError(431, 'the headers are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError(408, 'the request took too long to arrive'),
};
const NOT_HTTP = new ApiError(400, 'the request is not valid HTTP');

/** What is no HTTP request never becomes one. Nothing is logged: the error carries the packet, and with it a key. */
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
  // Every round of a command was won by another: busy, and nothing was written.
  if (error instanceof ConflictError) return unavailable('too many changes at once, try again');
  if (error instanceof OutcomeUnknownError)
    return new ApiError(500, 'outcome unknown, repeat with the same Idempotency-Key');
  if (error instanceof LogUnavailableError) return unavailable('the log is not available, try again');
  if (error instanceof ReadModelNotReadyError) return unavailable(error.message);
  if (isDatabaseDown(error)) return unavailable('the database is not available, try again');
  // Fastify's own refusals of a request carry a status. Their texts hold the URL, and with it perhaps a key.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return new ApiError(
      error.statusCode,
      error.code === 'FST_ERR_BAD_URL' ? 'the URL is malformed' : 'the request is malformed',
    );
  return new ApiError(500, 'internal error');
}
