import { type Entity, type EntityType, type Markup, markupOf } from './markup-entity.ts';
import { byteOffset, htmlMarkup, isEmojiId, MarkupError } from './markup-html.ts';

/** Parse modes of the platform, by their names (https://core.telegram.org/bots/api). */
export const PARSE_MODES = ['HTML', 'MarkdownV2'] as const;
export type ParseMode = (typeof PARSE_MODES)[number];

/** Finds the mode of a name; the platform ignores the case. */
export function parseModeOf(name: string): ParseMode | undefined {
  return PARSE_MODES.find((mode) => mode.toLowerCase() === name.toLowerCase());
}

/** The text that readers see. @param mode null: all of it @throws MarkupError */
export function visibleText(text: string, mode: ParseMode | null): string {
  return parseMarkup(text, mode).text;
}

/** The text that readers see, and how they see it. @param mode null: as it is @throws MarkupError */
export function parseMarkup(text: string, mode: ParseMode | null): Markup {
  switch (mode) {
    case 'HTML':
      return htmlMarkup(text);
    case 'MarkdownV2':
      return markdownMarkup(text);
    case null:
      return { text, entities: [] };
  }
}

/**
 * The platform's MarkdownV2 style. A special character that is meant as itself must be escaped by a backslash; any ASCII
 * character may be.
 */

/** The names that the platform's error messages have. */
type Style =
  | 'Bold'
  | 'Italic'
  | 'Underline'
  | 'Strikethrough'
  | 'Spoiler'
  | 'Code'
  | 'Pre'
  | 'PreCode'
  | 'TextUrl'
  | 'CustomEmoji'
  | 'BlockQuote';

interface Open {
  readonly entity: Style;
  /** Where it begins, in the source and in the visible text. */
  readonly at: number;
  readonly from: number;
  /** Of a block of code. */
  readonly language?: string;
}

interface Reading {
  readonly text: string;
  /** The next character. */
  at: number;
  visible: string;
  readonly open: Open[];
  readonly ended: Entity[];
}

const RESERVED = '_*[]()~`>#+-=|{}.!\n';
/** The sign that ends an entity; italics end only where no underline does. */
const ENDS: Readonly<Record<Exclude<Style, 'BlockQuote'>, string>> = {
  Bold: '*',
  Italic: '_',
  Underline: '__',
  Strikethrough: '~',
  Spoiler: '||',
  Code: '`',
  Pre: '```',
  PreCode: '```',
  TextUrl: ']',
  CustomEmoji: ']',
};
/** The longer sign first. */
const STARTS: readonly (readonly [string, Style])[] = [
  ['__', 'Underline'],
  ['_', 'Italic'],
  ['*', 'Bold'],
  ['~', 'Strikethrough'],
  ['||', 'Spoiler'],
  ['```', 'Pre'],
  ['`', 'Code'],
  ['![', 'CustomEmoji'],
  ['[', 'TextUrl'],
];

/** @throws MarkupError */
function markdownMarkup(text: string): Markup {
  const reading: Reading = { text, at: 0, visible: '', open: [], ended: [] };
  while (reading.at < text.length) readNext(reading);
  if (isQuoted(reading)) endQuote(reading);
  const left = reading.open.at(-1);
  if (left !== undefined) throw endless(reading, left);
  return markupOf(reading.visible, reading.ended);
}

function readNext(reading: Reading): void {
  const { text, at, open } = reading;
  const character = text[at]!;
  const inner = open.at(-1)?.entity;
  const isCode = inner === 'Code' || inner === 'Pre' || inner === 'PreCode';
  if (character === '\\' && isEscapable(text[at + 1])) take(reading, 2, text[at + 1]);
  else if (!(isCode ? '`' : RESERVED).includes(character)) take(reading, 1, character);
  else if (inner !== undefined && inner !== 'BlockQuote' && endsHere(inner, text, at)) end(reading);
  else if (character === '\n') {
    take(reading, 1, character);
    if (isQuoted(reading) && text[reading.at] !== '>') endQuote(reading);
  } else if (character === '>' && isLineStart(reading)) {
    if (!isQuoted(reading)) open.push({ entity: 'BlockQuote', at, from: reading.visible.length });
    take(reading, 1);
  } else start(reading, character);
}

function take(reading: Reading, length: number, visible = ''): void {
  reading.at += length;
  reading.visible += visible;
}

function isEscapable(character: string | undefined): boolean {
  return character !== undefined && character > '\0' && character <= '~';
}

function isQuoted({ open }: Reading): boolean {
  return open.some(({ entity }) => entity === 'BlockQuote');
}

function isLineStart({ visible }: Reading): boolean {
  return visible === '' || visible.endsWith('\n') || visible.endsWith('\r');
}

function start(reading: Reading, character: string): void {
  const { text, at, visible } = reading;
  const found = STARTS.find(([sign]) => text.startsWith(sign, at));
  if (found === undefined)
    throw new MarkupError(`Character '${character}' is reserved and must be escaped with the preceding '\\'`);
  const [sign, entity] = found;
  reading.at += sign.length;
  if (entity !== 'Pre') return void reading.open.push({ entity, at, from: visible.length });
  const [whole, language] = /^([^\s`]*)(?=\s)(?:\r\n|\n\r|[\r\n])?/.exec(text.slice(reading.at)) ?? ['', ''];
  reading.at += whole.length;
  reading.open.push({
    ...(language === '' ? { entity: 'Pre' } : { entity: 'PreCode', language: language! }),
    at,
    from: visible.length,
  });
}

function endsHere(entity: Exclude<Style, 'BlockQuote'>, text: string, at: number): boolean {
  return text.startsWith(ENDS[entity], at) && !(entity === 'Italic' && text[at + 1] === '_');
}

function end(reading: Reading): void {
  const open = reading.open.pop()!;
  const { entity, from, language } = open;
  if (entity === 'BlockQuote') return;
  reading.at += ENDS[entity].length;
  let url: string | null = null;
  // A link without an address has its text for one.
  if (entity === 'TextUrl') url = skipUrl(reading, 'a URL') ?? reading.visible.slice(from);
  if (entity === 'CustomEmoji') {
    const target = skipUrl(reading, 'a custom emoji URL');
    if (target === null) throw new MarkupError('Custom emoji entity must contain a tg://emoji URL');
    if (!isEmojiUrl(target)) return;
  }
  reading.ended.push({
    type: TYPES[entity],
    ...spanOf(reading, open),
    ...(url === null ? {} : { url }),
    ...(language === undefined ? {} : { language }),
  });
}

const TYPES: Readonly<Record<Exclude<Style, 'BlockQuote'>, EntityType>> = {
  Bold: 'bold',
  Italic: 'italic',
  Underline: 'underline',
  Strikethrough: 'strikethrough',
  Spoiler: 'spoiler',
  Code: 'code',
  Pre: 'pre',
  PreCode: 'pre',
  TextUrl: 'text_link',
  CustomEmoji: 'custom_emoji',
};

function spanOf({ visible }: Reading, { from }: Open): Pick<Entity, 'offset' | 'length'> {
  return { offset: from, length: visible.length - from };
}

/** The target in parentheses after a bracket; null: there is none. */
function skipUrl(reading: Reading, what: string): string | null {
  const { text, at } = reading;
  if (text[at] !== '(') return null;
  let url = '';
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === ')') {
      reading.at = i + 1;
      return url;
    }
    if (text[i] === '\\' && isEscapable(text[i + 1])) i++;
    url += text[i];
  }
  throw new MarkupError(`Can't find end of ${what} at byte offset ${byteOffset(text, at + 1)}`);
}

/**
 * Whether the target is a custom emoji. Dates stand in place of emoji (`tg://time?unix=…`); the platform shows a date that it
 * cannot read as it is. @throws MarkupError it is neither
 */
function isEmojiUrl(url: string): boolean {
  const [, scheme, host, query = ''] = /^(?:([a-z]+):(?:\/\/)?)?([^/?#]*)\/?(?:\?([^#]*))?/i.exec(url)!;
  if (scheme?.toLowerCase() !== 'tg') throw new MarkupError('Custom emoji URL must have scheme tg');
  if (host?.toLowerCase() === 'time') return false;
  if (host?.toLowerCase() !== 'emoji') throw new MarkupError('Custom emoji URL must have host "emoji"');
  const id = new URLSearchParams(query).get('id');
  if (id === null) throw new MarkupError('Custom emoji URL must have an emoji identifier');
  if (!isEmojiId(id)) throw new MarkupError('Invalid custom emoji identifier specified');
  return true;
}

/** A quotation ends with its last line; a spoiler that only opens there makes it expandable. */
function endQuote(reading: Reading): void {
  const { open, visible } = reading;
  const last = open.at(-1)!;
  const isExpandable = last.entity === 'Spoiler' && /^\r?\n?$/.test(visible.slice(last.from));
  if (isExpandable) open.pop();
  const quote = open.pop();
  if (quote === undefined) return;
  if (quote.entity !== 'BlockQuote') throw endless(reading, quote);
  reading.ended.push({ type: isExpandable ? 'expandable_blockquote' : 'blockquote', ...spanOf(reading, quote) });
}

function endless({ text }: Reading, { entity, at }: Open): MarkupError {
  return new MarkupError(`Can't find end of ${entity} entity at byte offset ${byteOffset(text, at)}`);
}
