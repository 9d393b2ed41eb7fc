import { posix } from 'node:path';
import { Marked, type RendererObject, type Tokens } from 'marked';
import { STYLE } from './guide-style.ts';

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

/** Half of an anchor. Markdown gives a link no tag of its own, so `</a>` ends an anchor. */
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
