import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { handleErrors } from '../../../src/api/api-errors.ts';
import { serveGuide } from '../../../src/api/guide.ts';
import { guidePage } from '../../../src/api/guide-page.ts';
import { ROOT } from '../../support/source-files.ts';

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

it('serves the guide with a slash at the end, too', async () => {
  const [with_, without] = [await app.inject('/docs/guide/'), await app.inject('/docs/guide')];
  expect([with_.statusCode, with_.body]).toEqual([200, without.body]);
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

it('shows an image as its description', () => {
  const html = guidePage({ file: 'docs/a.md', markdown: '# A\n\n![A & B](images/a.png)\n', files: new Map() });
  expect(html).toContain('<p><em>A &amp; B</em></p>');
});

it('shows a flowchart as its arrows, and any other diagram as its source', () => {
  const fenced = (text: string): string => `# A\n\n\`\`\`mermaid\n${text}\n\`\`\`\n`;
  const html = (text: string): string => guidePage({ file: 'docs/a.md', markdown: fenced(text), files: new Map() });
  expect(html('flowchart LR\n  a(["One & all"]) -- "x" --> b[("Two")]\n  b --> a')).toContain(
    `<ul class="flow">
<li><b>One &amp; all</b> <span>x →</span> <b>Two</b></li>
<li><b>Two</b> <span>→</span> <b>One &amp; all</b></li>
</ul>`,
  );
  for (const other of ['sequenceDiagram\n  A->>B: x', 'flowchart LR\n  a["One"] ==> b'])
    expect(html(other)).toContain('<pre><code class="language-mermaid">');
});

it('shows every diagram of the guide without its source', async () => {
  for (const page of ['', ...readdirSync(join(ROOT, 'docs')).flatMap((name) => /^(.+)\.md$/.exec(name)?.[1] ?? [])])
    expect((await app.inject(`/docs/guide/${page}`)).body).not.toContain('language-mermaid');
});

it('keeps the anchors of headings and rules', () => {
  const markdown = '# A\n\n### <a id="a-rule"></a>5.11 A rule\n\n- <a id="its-part"></a>its part\n';
  const html = guidePage({ file: 'docs/a.md', markdown, files: new Map() });
  expect(html).toContain('<h3 id="511-a-rule"><a id="a-rule"></a>5.11 A rule</h3>');
  expect(html).toContain('<li><a id="its-part"></a>its part</li>');
});
