import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { ApiError } from './api-errors.ts';
import type { GuidePage } from './guide-page.ts';

export const GUIDE_URL = '/docs/guide';

/** The project's root: the same relative path from src and from dist. */
const ROOT = new URL('../../', import.meta.url);

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

  for (const url of [GUIDE_URL, `${GUIDE_URL}/`, `${GUIDE_URL}/:page`])
    app.get<{ Params: { page?: string } }>(url, { schema: { hide: true } }, async ({ params: { page } }, reply) => {
      const html = await pageAt(page ? `${GUIDE_URL}/${page}` : GUIDE_URL);
      const { CONTENT_POLICY } = await loadRenderer();
      return reply
        .type('text/html; charset=utf-8')
        .headers({ 'content-security-policy': CONTENT_POLICY, 'x-content-type-options': 'nosniff' })
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
  const [{ guidePage }, markdown] = await Promise.all([loadRenderer(), readFile(new URL(page.file, ROOT), 'utf8')]);
  return guidePage({ ...page, markdown });
}

/** Loads the Markdown library when a client requests the first page. */
function loadRenderer(): Promise<typeof import('./guide-page.ts')> {
  return import('./guide-page.ts');
}
