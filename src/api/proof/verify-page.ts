import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { cspHash } from '../csp-hash.ts';

/** The verifier and its page: the same relative path from src and from dist. */
const BIN = new URL('../../../bin/', import.meta.url);

interface Page {
  readonly html: string;
  readonly policy: string;
}

/**
 * Serves the verifier as one page at `/verify`, to anybody (decisions.md#verify-page). The page also works from a disk, so it holds
 * its policy itself.
 */
export function serveVerifyPage(app: FastifyInstance): void {
  let page: Promise<Page> | undefined;
  app.get('/verify', { schema: { hide: true } }, async (_request, reply) => {
    page ??= verifyPage().catch((error: unknown) => {
      page = undefined; // the next request reads the files again
      throw error;
    });
    const { html, policy } = await page;
    void reply.type('text/html; charset=utf-8').headers({
      'content-security-policy': `${policy}; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
    return reply.send(html);
  });
}

async function verifyPage(): Promise<Page> {
  const [template, verifier, around] = await Promise.all(
    ['verify-page.html', 'verify.mjs', 'verify-page.mjs'].map((name) => readFile(new URL(name, BIN), 'utf8')),
  );
  // In a block, so that its names and the verifier's may be the same.
  const script = `${verifier!}{${around!.replace(/^import .*\n/, '')}}\n`;
  const style = /<style>(.*)<\/style>/s.exec(template!)![1]!;
  const policy = [
    "default-src 'none'",
    `script-src ${cspHash(script)}`,
    `style-src ${cspHash(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  const html = template!.replace('POLICY', () => policy).replace('/* script */', () => script);
  return { html, policy };
}
