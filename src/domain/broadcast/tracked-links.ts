import { Tokenizer, TokenKind } from 'liquidjs';
import { parseModeOf } from './markup.ts';
import { decodedHtml } from './markup-html.ts';
import { compileTemplate, isTemplate, TemplateError } from './template.ts';

/** Links of messages whose clicks are counted (decisions.md#tracked-links). */

type Fields = Readonly<Record<string, unknown>>;

export interface TrackedMessage {
  /** The message, whose tracked addresses are templates of `links[0]`, `links[1]`… */
  readonly content: Fields;
  /** The targets, in that order. */
  readonly targets: readonly string[];
}

/** The position of a tracked address in a text, and the address. */
interface Address {
  readonly from: number;
  readonly to: number;
  readonly target: string;
}

/** @param content a checked message */
export function trackLinks(content: Fields): TrackedMessage {
  const targets: string[] = [];
  const linkTo = (target: string): string => `{{ links[${targets.push(target) - 1}] }}`;
  const mode = typeof content['parse_mode'] === 'string' ? parseModeOf(content['parse_mode']) : undefined;
  const addressesIn = mode === undefined ? () => [] : mode === 'HTML' ? htmlAddresses : markdownAddresses;
  const tracked = Object.entries(content).map(([name, value]): [string, unknown] => {
    if ((name === 'text' || name === 'caption') && typeof value === 'string')
      return [name, replaced(value, addressesIn(value), linkTo)];
    return [name, name === 'reply_markup' ? keyboard(value, linkTo) : value];
  });
  return { content: Object.fromEntries(tracked), targets };
}

/** Why a message cannot be sent with tracked links; undefined: it can. */
export function trackingProblem(message: Fields): string | undefined {
  const { content } = trackLinks(message);
  try {
    for (const text of [content['text'], content['caption']])
      if (typeof text === 'string' && isTemplate(text)) compileTemplate(text, 'text');
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `the text cannot have tracked links: ${error.message}`;
  }
}

function replaced(text: string, addresses: readonly Address[], linkTo: (target: string) => string): string {
  let at = 0;
  let made = '';
  for (const { from, to, target } of addresses) {
    made += text.slice(at, from) + linkTo(target);
    at = to;
  }
  return made + text.slice(at);
}

function keyboard(value: unknown, linkTo: (target: string) => string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { inline_keyboard: rows, ...rest } = value as Fields;
  if (!Array.isArray(rows)) return value;
  const button = (fields: Fields): Fields => {
    const { url } = fields;
    return typeof url === 'string' && isTracked(url) ? { ...fields, url: linkTo(url) } : fields;
  };
  return { ...rest, inline_keyboard: rows.map((row) => (row as Fields[]).map(button)) };
}

/** The platform opens its own addresses without a browser. */
const OF_PLATFORM = /(^|\.)(t\.me|telegram\.me|telegram\.dog)$/i;

function isTracked(address: string): boolean {
  if (!/^https?:\/\/[^\s{}]+$/i.test(address) || !URL.canParse(address)) return false;
  return !OF_PLATFORM.test(new URL(address).hostname);
}

const ANCHOR = /<a\s+href\s*=\s*(?:"([^"]*)"|'([^']*)')\s*>/giy;
/** The quote and the bracket after an address. */
const AFTER_ADDRESS = /["']\s*>$/;

function htmlAddresses(text: string): Address[] {
  const skips = templateRanges(text);
  const found: Address[] = [];
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    ANCHOR.lastIndex = at;
    const match = ANCHOR.exec(text);
    if (match === null || overlaps(skips, at, at + match[0].length)) continue;
    const written = match[1] ?? match[2] ?? '';
    const to = at + match[0].length - AFTER_ADDRESS.exec(match[0])![0].length;
    const target = decodedHtml(written);
    if (isTracked(target)) found.push({ from: to - written.length, to, target });
  }
  return found;
}

/** In a text that the platform accepts, a closing bracket that is not escaped and is outside of code ends a link. */
function markdownAddresses(text: string): Address[] {
  const skips = templateRanges(text);
  if (skips.length > 0 && text.includes('`')) return [];
  const found: Address[] = [];
  let code: string | null = null;
  let isEmoji = false;
  for (let at = 0; at < text.length; at++) {
    const skip = skips.find(([from]) => from === at);
    if (skip !== undefined) at = skip[1] - 1;
    else if (text[at] === '\\') at++;
    else if (text[at] === '`') {
      const sign = text.startsWith('```', at) ? '```' : '`';
      if (code === null) code = sign;
      else if (text.startsWith(code, at)) code = null;
      else continue;
      at += sign.length - 1;
    } else if (code !== null) continue;
    else if (text[at] === '[') isEmoji = text[at - 1] === '!' && text[at - 2] !== '\\';
    else if (text[at] === ']' && text[at + 1] === '(') {
      const from = at + 2;
      const [target, to] = untilParenthesis(text, from);
      if (!isEmoji && !overlaps(skips, from, to) && isTracked(target)) found.push({ from, to, target });
      at = to;
    }
  }
  return found;
}

function untilParenthesis(text: string, from: number): [target: string, to: number] {
  let target = '';
  let at = from;
  for (; at < text.length && text[at] !== ')'; at++) {
    if (text[at] === '\\' && at + 1 < text.length) at++;
    target += text[at];
  }
  return [target, Math.min(at, text.length)];
}

type Range = readonly [from: number, to: number];

/** The tags and values of a template. */
function templateRanges(text: string): Range[] {
  if (!isTemplate(text)) return [];
  const tokens = new Tokenizer(text).readTopLevelTokens();
  return tokens.filter(({ kind }) => kind !== TokenKind.HTML).map(({ begin, end }) => [begin, end]);
}

function overlaps(ranges: readonly Range[], from: number, to: number): boolean {
  return ranges.some(([begin, end]) => begin < to && from < end);
}
