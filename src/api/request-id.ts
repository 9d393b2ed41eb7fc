import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** An id of a caller that may stand in the log (decisions.md#request-id). */
const GIVEN = /^[A-Za-z0-9_.-]{1,64}$/;

/** Takes the caller's `X-Request-Id`, else numbers the requests of the instance. */
export function requestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  let count = 0;
  return ({ headers: { 'x-request-id': given } }) =>
    typeof given === 'string' && GIVEN.test(given) ? given : `req-${++count}`;
}

/** Answers each request with its id, so that a caller can name the request. */
export function answerRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
}
