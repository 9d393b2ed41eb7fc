import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** The console's files as `npm run build` writes them: the same relative path from src and from dist. */
const BUILT = fileURLToPath(new URL('../../../dist/console/', import.meta.url));

/** A page loads only our own scripts and styles, and cannot run text as a script. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/**
 * Serves the pages at `/console`. All pages are one document, which shows the page of the address.
 * @returns false: the console is not built
 */
export async function servePages(app: FastifyInstance): Promise<boolean> {
  // Tests of the API run on the sources, where the console may not be built.
  if (!existsSync(BUILT)) return false;
  await app.register(fastifyStatic, {
    root: BUILT,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    decorateReply: true,
  });
  app.get('/console/assets/:file', { schema: { hide: true } }, (request, reply) => {
    const { file } = request.params as { readonly file: string };
    // The name has a hash of the content, so the content of a name never changes.
    return reply
      .headers(HEADERS)
      .header('cache-control', 'public, max-age=31536000, immutable')
      .sendFile(`assets/${file}`);
  });
  const page = (_request: unknown, reply: FastifyReply): FastifyReply =>
    reply.headers(HEADERS).header('cache-control', 'no-cache').sendFile('index.html');
  app.get('/console', { schema: { hide: true } }, page);
  app.get('/console/*', { schema: { hide: true } }, page);
  return true;
}
