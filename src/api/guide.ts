import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { ApiError } from './errors.ts';
import type { GuidePage } from './guide-page.ts';
import { STYLE } from './guide-style.ts';

export const GUIDE_URL = '/docs/guide';

/** The project's root, seen from the sources and from what is built of them. */
const ROOT = new URL('../../', import.meta.url);

/** The pages hold no script and load nothing; their one style is named by its hash. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the README at /docs/guide and each page of docs/ below it, as HTML. */
export function serveGuide(app: FastifyInstance): void {
  let files: Promise<ReadonlyMap<string, string>> | undefined;
  const pages = new Map<string, Promise<string>>();

  async function pageAt(url: string): Promise<string> {
    files ??= filesByUrl();
    const file = (await files).get(url);
    if (file === undefined) throw new ApiError(404, 'no such page of the guide');
    let page = pages.get(url);
    if (page === undefined) {
      page = render({ file, files: await files });
      pages.set(url, page);
    }
    return page;
  }

  for (const url of [GUIDE_URL, `${GUIDE_URL}/:page`])
    app.get<{ Params: { page?: string } }>(url, { schema: { hide: true } }, async ({ params: { page } }, reply) => {
      const html = await pageAt(page === undefined ? GUIDE_URL : `${GUIDE_URL}/${page}`);
      return reply
        .type('text/html; charset=utf-8')
        .headers({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff' })
        .send(html);
    });
}

/** The Markdown file of each page's URL. */
async function filesByUrl(): Promise<ReadonlyMap<string, string>> {
  const docs = (await readdir(new URL('docs/', ROOT))).filter((name) => name.endsWith('.md')).sort();
  return new Map([
    [GUIDE_URL, 'README.md'],
    ...docs.map((name) => [`${GUIDE_URL}/${posix.basename(name, '.md')}`, `docs/${name}`] as const),
  ]);
}

async function render(page: Omit<GuidePage, 'markdown'>): Promise<string> {
  // Loads the Markdown library with the first page that is asked for.
  const [{ guidePage }, markdown] = await Promise.all([
    import('./guide-page.ts'),
    readFile(new URL(page.file, ROOT), 'utf8'),
  ]);
  return guidePage({ ...page, markdown });
}
