import { posix } from 'node:path';
import { Marked, type RendererObject, type Tokens } from 'marked';
import { cspHash } from './csp-hash.ts';
import { flowchart } from './guide-flow.ts';

/** The style of the guide's pages. */
const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0b57d0, #8ab4f8); }
body { max-width: 60rem; margin: 0 auto; padding: 0 1.25rem 4rem; font: 1rem/1.6 system-ui, sans-serif; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: .75rem 0; border-bottom: 1px solid var(--line); }
nav b { margin-right: auto; }
nav [aria-current] { color: inherit; font-weight: bold; text-decoration: none; }
a { color: var(--link); text-underline-offset: .15em; }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 .75rem; }
h2 { padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
code { padding: .1em .3em; border-radius: .25rem; background: var(--soft); font: .875em ui-monospace, monospace; overflow-wrap: anywhere; }
pre { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--soft); overflow-x: auto; }
pre code { padding: 0; background: none; overflow-wrap: normal; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; font-size: .92rem; }
th, td { padding: .35rem .6rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--soft); }
.flow { padding: 0; list-style: none; }
.flow li { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; margin: .5rem 0; }
.flow b { padding: .2rem .7rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--soft); font-weight: 500; }
.flow span { font-size: .92rem; }
`;

/** The Content-Security-Policy of the pages: they hold no script and load nothing. Their one style is named by its hash. */
export const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src ${cspHash(STYLE)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A page of the guide before it is HTML. */
export interface GuidePage {
  /** Path from the project's root. */
  readonly file: string;
  readonly markdown: string;
  /** The file of every page by its URL. */
  readonly files: ReadonlyMap<string, string>;
}

/** Renders a page of the guide. HTML in the Markdown is shown as text, except an anchor: `<a id="a-rule"></a>`. */
export function guidePage({ file, markdown, files }: GuidePage): string {
  const urls = new Map([...files].map(([url, file]) => [file, url]));
  const body = new Marked({ renderer: rendererOf(file, urls) }).parse(markdown, { async: false });
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? file;
  const links = [...urls].map(([target, url]) => {
    const name = target === 'README.md' ? 'Guide' : posix.basename(target, '.md');
    return `<a href="${url}"${target === file ? ' aria-current="page"' : ''}>${name}</a>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<nav><b>Botledger</b>${links.join('')}<a href="/docs">API</a></nav>
<main>
${body}</main>
</body>
</html>
`;
}

/** Half of an anchor. Markdown gives a link no separate tag, so `</a>` ends an anchor. */
const ANCHOR_TAG = /^(<a id="[a-z-]+">|<\/a>)$/;

function rendererOf(file: string, urls: ReadonlyMap<string, string>): RendererObject {
  return {
    heading({ tokens, depth, text }: Tokens.Heading): string {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }: Tokens.Link): string {
      const text = this.parser.parseInline(tokens);
      const target = targetOf(href, file, urls);
      return target === null ? text : `<a href="${escaped(target)}">${text}</a>`;
    },
    table(token: Tokens.Table): string {
      const row = (cells: readonly Tokens.TableCell[]): string =>
        this.tablerow({ text: cells.map((cell) => this.tablecell(cell)).join('') });
      const rows = token.rows.map(row).join('');
      return `<div class="table"><table>\n<thead>\n${row(token.header)}</thead>\n<tbody>${rows}</tbody>\n</table></div>\n`;
    },
    code: ({ lang, text }: Tokens.Code) => (lang === 'mermaid' ? (flowchart(text, escaped) ?? false) : false),
    // The policy of the pages lets nothing be loaded, so an image is shown as its description.
    image: ({ text }: Tokens.Image) => `<em>${escaped(text)}</em>`,
    html: ({ text }: Tokens.HTML | Tokens.Tag): string => (ANCHOR_TAG.test(text) ? text : escaped(text)),
  };
}

/** Where a link of a file leads in the guide; null: to a file that is no page of it. */
function targetOf(href: string, file: string, urls: ReadonlyMap<string, string>): string | null {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const url = urls.get(posix.join(posix.dirname(file), path));
  if (url === undefined) return null;
  return anchor === undefined ? url : `${url}#${anchor}`;
}

/** The anchor of a heading, made as code hosts make it. */
function anchorOf(title: string): string {
  return title
    .replace(/<[^>]*>/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}
