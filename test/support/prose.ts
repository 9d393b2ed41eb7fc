import type { SourceFile } from './source-files.ts';

/** A text that people read: a comment, a string or a template of a source file, or a paragraph of a document. */
export interface Prose {
  /** `path:line` of its first line. */
  readonly place: string;
  readonly kind: 'comment' | 'string' | 'template' | 'document';
  /** The text on one line, without the stars of a comment. */
  readonly text: string;
}

/** One token at a time. A regular expression is a token too, since a quote in it begins no string. */
const TOKEN = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)`,
    String.raw`(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")`,
    String.raw`(?<=[(,=:[!&|?{};\n]\s*|return )\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/`,
    String.raw`(?<brace>[{}\x60])`,
  ].join('|'),
  'g',
);
/** The rest of a template up to its end or its next `${`. */
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;

/** The texts of a source file, without names of modules. */
export function proseOf({ path, text }: SourceFile): Prose[] {
  const found: Prose[] = [];
  const add = (kind: Prose['kind'], piece: string, index: number): void => {
    found.push({ place: placeOf(path, text, index), kind, text: piece.replace(/\s*\n(?:\s*\*(?!\/))?\s*/g, ' ') });
  };
  /** The kind of each open brace: true for a template's `${`. */
  const braces: boolean[] = [];
  let at = 0;
  while (true) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) return found;
    at = TOKEN.lastIndex;
    const { comment, string, brace } = match.groups!;
    if (comment !== undefined) add('comment', comment, match.index);
    if (string !== undefined && !/\b(?:from|import) ?\(?$/.test(text.slice(0, match.index).slice(-10)))
      add('string', string, match.index);
    if (brace === '{') braces.push(false);
    const resumes = brace === '}' && braces.pop() === true;
    if (brace !== '`' && !resumes) continue;
    TEMPLATE.lastIndex = at;
    const piece = TEMPLATE.exec(text)?.[0];
    if (piece === undefined) throw new Error(`${placeOf(path, text, match.index)}: this template has no end`);
    add('template', piece, match.index);
    at = TEMPLATE.lastIndex;
    if (piece.endsWith('{')) braces.push(true);
  }
}

/** The paragraphs of a Markdown document, each on one line, without blocks of code and code in backticks. */
export function paragraphsOf(path: string, text: string): Prose[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ''));
  return [...prose.matchAll(/(?:.+\n?)+/g)].map((match) => ({
    place: placeOf(path, prose, match.index),
    kind: 'document',
    text: match[0].replace(/\s*\n\s*/g, ' ').replace(/`[^`]*`/g, '``'),
  }));
}

function placeOf(path: string, text: string, index: number): string {
  return `${path}:${text.slice(0, index).split('\n').length}`;
}
