import { type Entity, type EntityType, type Markup, markupOf } from './markup-entity.ts';

/** The platform would refuse the markup; the message is the platform’s. */
export class MarkupError extends Error {
  override readonly name = 'MarkupError';
}

/** The offset of a mistake, as the platform counts it. */
export function byteOffset(text: string, index: number): number {
  return Buffer.byteLength(text.slice(0, index));
}

/** The platform's HTML style: a few tags, and references for special characters. */

const TAGS: readonly string[] = [
  ...['b', 'strong', 'i', 'em', 'u', 'ins', 's', 'strike', 'del', 'a', 'code', 'pre', 'blockquote'],
  ...['span', 'tg-spoiler', 'tg-emoji', 'tg-time'],
];

/** A tag that was opened. */
interface Open {
  readonly tag: string;
  /** Where it begins in the visible text. */
  readonly from: number;
  readonly attributes: ReadonlyMap<string, string>;
  /** Of `pre`, named by the `code` inside: `<pre><code class="language-x">`. */
  language?: string;
}

/** The text without its tags, and the meaning of the tags. @throws MarkupError */
export function htmlMarkup(text: string): Markup {
  let visible = '';
  const open: Open[] = [];
  const entities: Entity[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] !== '<') {
      const [character, next] = characterAt(text, at);
      visible += character;
      at = next;
    } else if (text[at + 1] === '/') {
      const [ended, next] = endTag(text, at, open);
      entities.push(...entityOf(ended, visible, open));
      at = next;
    } else at = startTag(text, at, open, visible.length);
  }
  const left = open.at(-1);
  if (left !== undefined) throw new MarkupError(`Can't find end tag corresponding to start tag "${left.tag}"`);
  return markupOf(visible, entities);
}

const TYPES: Readonly<Record<string, EntityType>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  span: 'spoiler',
  'tg-spoiler': 'spoiler',
  'tg-emoji': 'custom_emoji',
  a: 'text_link',
  code: 'code',
  pre: 'pre',
};

/** @param outer the tags around it. A date in `tg-time` is shown as it is. */
function entityOf({ tag, from, attributes, language }: Open, visible: string, outer: readonly Open[]): Entity[] {
  const span = { offset: from, length: visible.length - from };
  const type = TYPES[tag];
  if (tag === 'blockquote')
    return [{ type: attributes.has('expandable') ? 'expandable_blockquote' : 'blockquote', ...span }];
  if (type === undefined) return [];
  // A link without an address has its text for one.
  if (type === 'text_link') return [{ type, ...span, url: attributes.get('href') ?? visible.slice(from) }];
  const around = outer.at(-1);
  if (type === 'code' && around?.tag === 'pre') {
    const [, named] = /^language-(.+)$/.exec(attributes.get('class') ?? '') ?? [];
    if (named !== undefined) around.language = named;
    return [];
  }
  return [{ type, ...span, ...(language === undefined ? {} : { language }) }];
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot)(?![a-z]));?/iy;

/** One character, or the character that a reference means. An ampersand that begins no reference is itself. */
function characterAt(text: string, at: number): [character: string, next: number] {
  REFERENCE.lastIndex = at;
  const match = text[at] === '&' ? REFERENCE.exec(text) : null;
  const [whole, hex, decimal, name] = match ?? [];
  if (whole === undefined) return [text[at]!, at + 1];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  const character = name === undefined ? ofCode(code) : NAMED[name];
  return character === undefined ? ['&', at + 1] : [character, at + whole.length];
}

/** The text that the value of an attribute means. */
export function decodedHtml(text: string): string {
  let decoded = '';
  for (let at = 0; at < text.length; ) {
    const [character, next] = characterAt(text, at);
    decoded += character;
    at = next;
  }
  return decoded;
}

function ofCode(code: number): string | undefined {
  return code > 0 && code < 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined;
}

const SPACE = /\s/;
const ATTRIBUTE = /([^\s=>/"']*)\s*(=?)\s*/y;
const TOKEN = /[\p{L}\d.-]*/uy;

function startTag(text: string, from: number, open: Open[], visibleFrom: number): number {
  const offset = byteOffset(text, from);
  let at = from + 1;
  while (at < text.length && text[at] !== '>' && !SPACE.test(text[at]!)) at++;
  const unclosed = new MarkupError(`Unclosed start tag at byte offset ${offset}`);
  if (at === text.length) throw unclosed;
  const tag = text.slice(from + 1, at).toLowerCase();
  if (!TAGS.includes(tag)) throw new MarkupError(`Unsupported start tag "${tag}" at byte offset ${offset}`);
  const attributes = new Map<string, string>();
  for (;;) {
    while (at < text.length && SPACE.test(text[at]!)) at++;
    if (at === text.length) throw unclosed;
    if (text[at] === '>') break;
    ATTRIBUTE.lastIndex = at;
    const [whole, name, equals] = ATTRIBUTE.exec(text)!;
    if (name === '') throw new MarkupError(`Empty attribute name in the tag "${tag}" at byte offset ${offset}`);
    at += whole.length;
    let value = '';
    if (equals === '=') [value, at] = attributeValue(text, at, unclosed);
    attributes.set(name!.toLowerCase(), value);
  }
  if (tag === 'span' && attributes.get('class') !== 'tg-spoiler')
    throw new MarkupError(`Tag "span" must have class "tg-spoiler" at byte offset ${offset}`);
  if (tag === 'tg-emoji' && !isEmojiId(attributes.get('emoji-id')))
    throw new MarkupError('Invalid custom emoji identifier specified');
  open.push({ tag, from: visibleFrom, attributes });
  return at + 1;
}

function attributeValue(text: string, from: number, unclosed: MarkupError): [value: string, next: number] {
  const quote = text[from];
  if (quote !== '"' && quote !== "'") {
    TOKEN.lastIndex = from;
    const [token] = TOKEN.exec(text)!;
    const at = from + token.length;
    if (at === text.length) throw unclosed;
    if (text[at] !== '>' && !SPACE.test(text[at]!))
      throw new MarkupError(`Unexpected end of name token at byte offset ${byteOffset(text, from)}`);
    return [token.toLowerCase(), at];
  }
  let value = '';
  let at = from + 1;
  while (at < text.length && text[at] !== quote) {
    const [character, next] = characterAt(text, at);
    value += character;
    at = next;
  }
  if (at === text.length) throw unclosed;
  return [value, at + 1];
}

function endTag(text: string, from: number, open: Open[]): [ended: Open, next: number] {
  const offset = byteOffset(text, from);
  const ended = open.pop();
  if (ended === undefined) throw new MarkupError(`Unexpected end tag at byte offset ${offset}`);
  const end = text.indexOf('>', from);
  const name = text.slice(from + 2, end < 0 ? text.length : end).trimEnd();
  if (end < 0 || SPACE.test(name)) throw new MarkupError(`Unclosed end tag at byte offset ${offset}`);
  const tag = name.toLowerCase();
  if (tag !== '' && tag !== ended.tag)
    throw new MarkupError(`Unmatched end tag at byte offset ${offset}, expected "</${ended.tag}>", found "</${tag}>"`);
  return [ended, end + 1];
}

/** Custom emoji are named by numbers. */
export function isEmojiId(id: string | null | undefined): boolean {
  return id !== undefined && id !== null && /^[1-9]\d{0,18}$/.test(id);
}
