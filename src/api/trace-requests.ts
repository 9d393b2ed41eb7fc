import type { FastifyInstance } from 'fastify';
import { beginRequestSpan, isTracing } from '../util/tracing.ts';

/** The routes that monitoring asks every few seconds. */
const UNTRACED: ReadonlySet<string | undefined> = new Set(['/health', '/ready', '/metrics']);

/** Makes a span of each request (decisions.md#traces). The path is left out, since it may hold a secret. */
export function traceRequests(app: FastifyInstance): void {
  if (!isTracing()) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, routeOptions } = request;
    const { url: route } = routeOptions;
    if (UNTRACED.has(route)) return done();
    const attributes = { 'http.request.method': method, ...(route !== undefined && { 'http.route': route }) };
    const span = beginRequestSpan(route === undefined ? method : `${method} ${route}`, attributes, headers);
    reply.raw.once('close', () => {
      const { statusCode, headersSent } = reply.raw;
      if (headersSent) span.set({ 'http.response.status_code': statusCode });
      if (statusCode >= 500) span.fail(String(statusCode));
      span.end();
    });
    span.run(done);
  });
}
