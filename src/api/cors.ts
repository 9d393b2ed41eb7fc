import type { FastifyReply, FastifyRequest } from 'fastify';

/** The origins of web pages that may call, as browsers send them; `*` allows all. */
export type CorsOrigins = readonly string[];

/**
 * Headers that an allowed page may send besides the headers that every page may send (Fetch standard, "CORS-safelisted
 * request-header").
 */
const HEADERS = 'Api-Key, Authorization, Content-Type, Idempotency-Key, Receipt, Resource-Key, X-Request-Id';
/** Seconds for which a browser may keep the answer to its preflight. Chromium's own limit is the same. */
const MAX_AGE = 7200;

/**
 * Lets pages of these origins read the answer, refusals too. `@fastify/cors` does not fit: it answers OPTIONS on every path,
 * where unknown paths must be 404 and paths of other methods 405.
 */
export function allowOrigins(origins: CorsOrigins): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async ({ headers: { origin } }, reply) => {
    if (!origins.includes('*')) void reply.header('vary', 'Origin');
    if (origin === undefined) return;
    if (origins.includes('*')) void reply.header('access-control-allow-origin', '*');
    else if (origins.includes(origin)) void reply.header('access-control-allow-origin', origin);
    else return;
    void reply.header('access-control-expose-headers', 'Retry-After, X-Request-Id');
  };
}

/** Answers a browser's preflight of a POST. Without an allowed origin the answer allows nothing. */
export async function answerPreflight(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (reply.hasHeader('access-control-allow-origin'))
    void reply
      .header('access-control-allow-methods', 'POST')
      .header('access-control-allow-headers', HEADERS)
      .header('access-control-max-age', String(MAX_AGE));
  return reply.status(204).send();
}
