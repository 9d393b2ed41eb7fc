import type { FastifyInstance } from 'fastify';

/** Leads from `/` to the console if a browser asks and there is one (decisions.md#root), else to the documentation of the API. */
export function serveRoot(app: FastifyInstance, hasConsole: boolean): void {
  app.get('/', { schema: { hide: true } }, (request, reply) => {
    const isBrowser = request.headers.accept?.includes('text/html') === true;
    return reply.header('vary', 'Accept').redirect(hasConsole && isBrowser ? '/console' : '/docs');
  });
}
