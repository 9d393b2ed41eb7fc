import type { DataOf } from '../event-type.ts';
import { type Problem, under } from '../problem.ts';
import { isJsonObject, property, unstorableText } from '../storable-json.ts';
import type { broadcastCreated, MessageType } from './broadcast-events.ts';
import { PARSE_MODES, type ParseMode, parseModeOf } from './markup.ts';
import { parseReplyMarkup } from './reply-markup.ts';
import { isTemplate } from './template.ts';
import { type Bounds, checkTemplate, textProblem } from './template-check.ts';

/** Text and media of a broadcast, by the platform's names (interface.md, "Message content by type"). */
export type Message = DataOf<typeof broadcastCreated>['message'];

const CAPTIONED = ['caption', 'parse_mode'];

/** The fields of each type, and the one that it requires. */
const FIELDS: Readonly<Record<MessageType, { readonly content: string; readonly others: readonly string[] }>> = {
  sendMessage: {
    content: 'text',
    others: ['parse_mode', 'reply_markup', 'disable_notification', 'protect_content', 'pin_message'],
  },
  sendPhoto: { content: 'photo', others: [...CAPTIONED, 'reply_markup', 'pin_message'] },
  sendVideo: { content: 'video', others: [...CAPTIONED, 'reply_markup', 'pin_message'] },
  sendDocument: { content: 'document', others: CAPTIONED },
  sendAnimation: { content: 'animation', others: CAPTIONED },
  sendAudio: { content: 'audio', others: ['caption'] },
  sendVoice: { content: 'voice', others: ['caption'] },
  sendMediaGroup: { content: 'media', others: [] },
};

export const TEXT_BOUNDS: Bounds = { min: 1, max: 4096 };
export const CAPTION_BOUNDS: Bounds = { min: 0, max: 1024 };
const ALBUM = { min: 2, max: 10 };
const ALBUM_TYPES = ['photo', 'video'];

/** Checks a message; a draft may lack content. Adds mistakes to `problems`; then the result must not be used. */
export function parseMessage(type: MessageType, input: unknown, path: string, problems: Problem[]): Message {
  if (!isJsonObject(input)) {
    problems.push({ path, message: 'must be an object' });
    return {};
  }
  const unstorable = unstorableText(input);
  if (unstorable.length > 0) {
    problems.push(...unstorable.map((problem) => ({ ...problem, path: under(path, problem.path) })));
    return {};
  }
  const { content, others } = FIELDS[type];
  const fields = [content, ...others];
  const mode = parseMode(property(input, 'parse_mode'));
  const message: Record<string, unknown> = {};
  for (const key of Object.keys(input)) {
    const value = property(input, key);
    const at = under(path, key);
    if (!fields.includes(key)) problems.push({ path: at, message: `${type} has no such field`, allowed: fields });
    else if (value !== undefined) message[key] = parseField(key, value, mode ?? null, at, problems);
  }
  return message as Message;
}

/** The fields that a message lacks to be sent. */
export function missingContent(type: MessageType, message: Message, path: string): Problem | undefined {
  const { content } = FIELDS[type];
  if (message[content] !== undefined) return undefined;
  return { path: under(path, content), message: `${content} is required to activate the broadcast` };
}

/** Undefined: the value is invalid. */
function parseMode(value: unknown): ParseMode | undefined {
  return typeof value === 'string' ? parseModeOf(value) : undefined;
}

function parseField(key: string, value: unknown, mode: ParseMode | null, path: string, problems: Problem[]): unknown {
  switch (key) {
    case 'text':
      return parseText(value, mode, TEXT_BOUNDS, path, problems);
    case 'caption':
      return parseText(value, mode, CAPTION_BOUNDS, path, problems);
    case 'parse_mode':
      if (mode === null) problems.push({ path, message: 'must be html or MarkdownV2', allowed: PARSE_MODES });
      return value;
    case 'reply_markup':
      return parseReplyMarkup(value, path, problems);
    case 'media':
      return parseAlbum(value, path, problems);
    case 'disable_notification':
    case 'protect_content':
    case 'pin_message':
      if (typeof value !== 'boolean') problems.push({ path, message: 'must be true or false' });
      return value;
    default:
      return parseFile(value, path, problems);
  }
}

function parseText(value: unknown, mode: ParseMode | null, bounds: Bounds, path: string, problems: Problem[]): unknown {
  const message = typeof value === 'string' ? textProblem(value, mode, bounds) : 'must be a string';
  if (message !== undefined) problems.push({ path, message });
  return value;
}

/** A file id of the platform, or an address that the platform loads the file from. */
function parseFile(value: unknown, path: string, problems: Problem[]): unknown {
  if (typeof value !== 'string' || !(/^[\w-]{1,512}$/.test(value) || isWebAddress(value)))
    problems.push({ path, message: 'must be an http or https address, or a file_id' });
  return value;
}

function isWebAddress(value: string): boolean {
  return /^https?:\/\/[^\s{}]{1,4096}$/i.test(value) && URL.canParse(value);
}

function parseAlbum(value: unknown, path: string, problems: Problem[]): unknown {
  if (!Array.isArray(value) || value.length < ALBUM.min || value.length > ALBUM.max) {
    problems.push({ path, message: `must be an array of ${ALBUM.min} to ${ALBUM.max} photos and videos` });
    return undefined;
  }
  return value.map((item: unknown, index) => parseAlbumItem(item, under(path, index), problems));
}

const ALBUM_FIELDS = ['type', 'media', 'caption'];

function parseAlbumItem(input: unknown, path: string, problems: Problem[]): unknown {
  if (!isJsonObject(input)) {
    problems.push({ path, message: `must be an object with ${ALBUM_FIELDS.join(', ')}` });
    return undefined;
  }
  const item: Record<string, unknown> = {};
  for (const key of Object.keys(input)) {
    const value = property(input, key);
    const at = under(path, key);
    if (!ALBUM_FIELDS.includes(key))
      problems.push({ path: at, message: 'there is no such field', allowed: ALBUM_FIELDS });
    else if (value === undefined) continue;
    else if (key === 'caption') item[key] = parseText(value, null, CAPTION_BOUNDS, at, problems);
    else if (key === 'media') item[key] = parseFile(value, at, problems);
    else {
      if (!ALBUM_TYPES.includes(value as string))
        problems.push({ path: at, message: 'must be photo or video', allowed: ALBUM_TYPES });
      item[key] = value;
    }
  }
  for (const key of ['type', 'media'])
    if (property(input, key) === undefined) problems.push({ path: under(path, key), message: `${key} is required` });
  return item;
}

/** A custom field in a template of the message, and the path of the template. */
export interface NamedCustomField {
  readonly path: string;
  readonly field: string;
}

/** Finds the custom fields that a checked message names. @param path of the message */
export function customFieldsIn(message: Message, path: string): NamedCustomField[] {
  return [...templatesIn(message, path)].flatMap(([at, text]) =>
    checkTemplate(text).map((field) => ({ path: at, field })),
  );
}

function* templatesIn(message: Message, path: string): Generator<[path: string, text: string]> {
  yield* templatesOf(message, ['text', 'caption'], path);
  for (const [index, item] of itemsOf(message['media']).entries())
    yield* templatesOf(item, ['caption'], under(path, `media.${index}`));
  const markup = message['reply_markup'];
  const rows = isJsonObject(markup) ? itemsOf(property(markup, 'inline_keyboard')) : [];
  for (const [row, buttons] of rows.entries())
    for (const [index, button] of itemsOf(buttons).entries())
      yield* templatesOf(button, ['text', 'url'], under(path, `reply_markup.inline_keyboard.${row}.${index}`));
}

function* templatesOf(object: unknown, keys: readonly string[], path: string): Generator<[path: string, text: string]> {
  if (!isJsonObject(object)) return;
  for (const key of keys) {
    const text = property(object, key);
    if (typeof text === 'string' && isTemplate(text)) yield [under(path, key), text];
  }
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
