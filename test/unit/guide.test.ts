import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { handleErrors } from '../../src/api/errors.ts';
import { serveGuide } from '../../src/api/guide.ts';
import { guidePage } from '../../src/api/guide-page.ts';
import { ROOT } from '../support/source-files.ts';

let app: FastifyInstance;
beforeAll(() => {
  app = Fastify();
  handleErrors(app);
  serveGuide(app);
});
afterAll(() => app.close());

const linksOf = (html: string): string[] => [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href!);
const idsOf = (html: string): string[] => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);

it('serves every page that the guide links to, with the anchor of the link', async () => {
  const pages = new Map<string, string>();
  const links: { page: string; href: string }[] = [];
  for (const found = ['/docs/guide']; found.length > 0; ) {
    const page = found.pop()!;
    if (pages.has(page)) continue;
    const { statusCode, body } = await app.inject(page);
    expect({ page, statusCode }).toEqual({ page, statusCode: 200 });
    pages.set(page, body);
    for (const href of linksOf(body).filter((href) => !/^https:/.test(href) && href !== '/docs')) {
      links.push({ page, href });
      const [path] = href.split('#');
      if (path !== '') found.push(path!);
    }
  }
  const pagesOfDocs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const documents = pagesOfDocs.map((name) => `/docs/guide/${basename(name, '.md')}`);
  expect([...pages.keys()].sort()).toEqual(['/docs/guide', ...documents].sort());
  const anchored = links.filter(({ href }) => href.includes('#'));
  expect(anchored.length).toBeGreaterThan(0);
  const broken = anchored.filter(({ page, href }) => {
    const [path, anchor] = href.split('#');
    return !idsOf(pages.get(path === '' ? page : path!)!).includes(anchor!);
  });
  expect(broken).toEqual([]);
});

it.each(['nothing', 'README', '..%2Fpackage', '%2e%2e%2fCONTRIBUTING', 'psql.md', 'constructor'])(
  'answers 404 for the page %s, which the guide does not have',
  async (page) => {
    const { statusCode, json } = await app.inject(`/docs/guide/${page}`);
    expect([statusCode, json()]).toEqual([404, { ok: false, error: 'no such page of the guide', error_code: 404 }]);
  },
);

it('allows the pages only their own style', async () => {
  const { headers, body } = await app.inject('/docs/guide');
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(body).not.toMatch(/<script|style="|\son\w+="/);
});

it('shows HTML as text, and links to other files than pages as text', () => {
  const files = new Map([['/docs/guide', 'README.md']]);
  const markdown =
    '# A & B\n\n<img src=x> a <b>c</b> [licence](../LICENSE) [home](../README.md#a) [bad](javascript:x)\n';
  const html = guidePage({ file: 'docs/a.md', markdown, files });
  expect(html).toContain('<title>A &amp; B</title>');
  expect(html).toContain('&lt;img src=x&gt; a &lt;b&gt;c&lt;/b&gt; licence <a href="/docs/guide#a">home</a> bad');
});

it('keeps the anchors of headings and rules', () => {
  const markdown = '# A\n\n### <a id="a-rule"></a>5.11 A rule\n\n- <a id="its-part"></a>its part\n';
  const html = guidePage({ file: 'docs/a.md', markdown, files: new Map() });
  expect(html).toContain('<h3 id="511-a-rule"><a id="a-rule"></a>5.11 A rule</h3>');
  expect(html).toContain('<li><a id="its-part"></a>its part</li>');
});
