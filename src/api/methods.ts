import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { ApiError } from './errors.ts';

/**
 * A path that exists answers 405 to every method that it does not have, also to those that Fastify does not know. Comes
 * before all routes; what it returns, after them.
 */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const urls = new Set<string>();
  app.addHook('onRoute', ({ url }) => {
    urls.add(url);
  });
  return () => {
    for (const url of [...urls]) {
      // Not every route that Fastify adds by itself is told to the hook.
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
        // Before the body is read, or missed.
        onRequest: refuse,
        handler: refuse,
      });
    }
  };
}
