import type { MessageType } from './broadcast-events.ts';
import { parseModeOf } from './markup.ts';
import { compileTemplate, isTemplate, type TemplatePlace, type TemplateUser } from './template.ts';
import { trackLinks } from './tracked-links.ts';

/** A broadcast's message, compiled once; it makes the parameters of the platform's call for each recipient. */
export interface Message {
  readonly method: MessageType;
  /** How many units of the limits a message takes: an album takes its length. */
  readonly units: number;
  readonly pins: boolean;
  /** Parameters of the call that pins it, except chat and message. */
  readonly pinParameters: object;
  /** The addresses of its files that are sent by URL. */
  readonly urls: readonly string[];
  /** Whether it uses fields of its recipients. */
  readonly asksUser: boolean;
  /** The targets of its links whose clicks are counted. */
  readonly targets: readonly string[];
  /**
   * All parameters except the chat.
   * @param files ids of files that were sent by URL before
   * @param links the recipient's addresses in place of `targets`
   * @throws TemplateError
   */
  parameters(
    user: TemplateUser,
    files: ReadonlyMap<string, string>,
    links?: readonly string[],
  ): Readonly<Record<string, unknown>>;
  /** Finds the ids of files that were sent by URL, in the result of the call. */
  filesOf(parameters: object, result: unknown): { readonly url: string; readonly file_id: string }[];
  /** The id of the message; of an album, the first. */
  messageIdOf(result: unknown): number | null;
}

/** The messages of a broadcast: one, or one for each variant. */
export interface Messages {
  /** The most that a message takes: it is not known which variant is sent next. */
  readonly units: number;
  /** The addresses of all files that are sent by URL. */
  readonly urls: readonly string[];
  /** Whether one of them uses fields of its recipients. */
  readonly asksUser: boolean;
  /** The targets of all messages, one message after the other. */
  readonly targets: readonly string[];
  /** The message that a chat gets. */
  of(chat: number): Message;
  /** The index of a chat's message; undefined: there is one. */
  variantOf(chat: number): number | undefined;
  /** The index of a message's first target in `targets`. */
  firstLinkOf(message: Message): number;
}

/** @param indexOf the index of a chat's message. Not called for a single message. */
export function messagesByChat(all: readonly Message[], indexOf: (chat: number) => number): Messages {
  const [only] = all;
  return {
    units: Math.max(...all.map(({ units }) => units)),
    urls: [...new Set(all.flatMap(({ urls }) => urls))],
    asksUser: all.some(({ asksUser }) => asksUser),
    targets: all.flatMap(({ targets }) => targets),
    of: all.length === 1 ? () => only! : (chat) => all[indexOf(chat)]!,
    variantOf: all.length === 1 ? () => undefined : indexOf,
    firstLinkOf: (message) =>
      all.slice(0, all.indexOf(message)).reduce((links, { targets }) => links + targets.length, 0),
  };
}

type Fields = Readonly<Record<string, unknown>>;
type Made<T> = (user: TemplateUser, files: ReadonlyMap<string, string>, links: readonly string[] | undefined) => T;

/** The field of the message's file, in the call and in its result. */
const FILE_FIELDS: Readonly<Partial<Record<MessageType, string>>> = {
  sendPhoto: 'photo',
  sendVideo: 'video',
  sendDocument: 'document',
  sendAnimation: 'animation',
  sendAudio: 'audio',
  sendVoice: 'voice',
};
const URL_FILE = /^https?:\/\//i;

/**
 * @param given the message's fields, checked at the activation
 * @param paid whether messages may cost stars to be faster than the platform's limit
 * @param tracksClicks whether links lead to addresses of each recipient
 * @throws TemplateError
 */
export function prepareMessage(method: MessageType, given: Fields, paid: boolean, tracksClicks = false): Message {
  const { content, targets } = tracksClicks ? trackLinks(given) : { content: given, targets: [] };
  const mode = typeof content['parse_mode'] === 'string' ? parseModeOf(content['parse_mode']) : undefined;
  const album = method === 'sendMediaGroup' ? itemsOf(content['media']) : null;
  const field = FILE_FIELDS[method];
  const sent = album === null ? (field === undefined ? [] : [content[field]]) : album.map(({ media }) => media);
  const urls = sent.filter((file): file is string => typeof file === 'string' && URL_FILE.test(file));
  const made = Object.entries(content).flatMap(([name, value]): [string, Made<unknown>][] => {
    if (value === null || name === 'pin_message') return [];
    switch (name) {
      case 'parse_mode':
        return [[name, () => mode]];
      case 'text':
      case 'caption':
        return [[name, text(value, mode ?? 'text')]];
      case 'media':
        return [[name, all(itemsOf(value).map(albumItem))]];
      case 'reply_markup':
        return [[name, keyboard(value)]];
      default:
        return [[name, name === field ? file(value) : () => value]];
    }
  });
  const parameters: Message['parameters'] = (user, files, links) => ({
    ...Object.fromEntries(made.map(([name, make]) => [name, make(user, files, links)])),
    ...(paid ? { allow_paid_broadcast: true } : {}),
  });
  // JSON itself has no sign that opens a template.
  const asksUser = isTemplate(JSON.stringify(given));
  const ofAll = asksUser || urls.length > 0 || targets.length > 0 ? null : parameters({}, new Map());
  const silent = content['disable_notification'];
  return {
    method,
    units: album?.length ?? 1,
    pins: content['pin_message'] === true,
    pinParameters: typeof silent === 'boolean' ? { disable_notification: silent } : {},
    urls,
    asksUser,
    targets,
    parameters: ofAll === null ? parameters : () => ofAll,
    filesOf(parameters, result) {
      const sent: Fields = { ...parameters };
      const items = album === null ? [sent] : itemsOf(sent['media']);
      const results = album === null ? [result] : Array.isArray(result) ? result : [];
      return items.flatMap((item, index) => {
        const url = album === null ? item[field ?? ''] : item['media'];
        const file_id = fileIdOf(results[index], field ?? String(item['type']));
        return typeof url === 'string' && urls.includes(url) && file_id !== null ? [{ url, file_id }] : [];
      });
    },
    messageIdOf(result) {
      const id = fieldsOf(Array.isArray(result) ? result[0] : result)['message_id'];
      return typeof id === 'number' ? id : null;
    },
  };
}

function text(value: unknown, place: TemplatePlace): Made<unknown> {
  if (typeof value !== 'string' || !isTemplate(value)) return () => value;
  const template = compileTemplate(value, place);
  return (user, _, links) => template.render(user, links);
}

function file(value: unknown): Made<unknown> {
  return (_, files) => files.get(String(value)) ?? value;
}

function albumItem({ type, media, caption }: Fields): Made<Fields> {
  const [sent, captioned] = [file(media), text(caption, 'text')];
  return (user, files, links) => ({
    type,
    media: sent(user, files, links),
    ...(caption === undefined || caption === null ? {} : { caption: captioned(user, files, links) }),
  });
}

/** An inline keyboard: text and address of a button may use fields of the recipient. */
function keyboard(value: unknown): Made<unknown> {
  const { inline_keyboard: rows, ...rest } = fieldsOf(value);
  if (!Array.isArray(rows)) return () => value;
  const made = rows.map((row) => all(itemsOf(row).map(button)));
  return (user, files, links) => ({ ...rest, inline_keyboard: made.map((row) => row(user, files, links)) });
}

function button(fields: Fields): Made<Fields> {
  const [label, url] = [text(fields['text'], 'text'), text(fields['url'], 'url')];
  return (user, files, links) => ({
    ...fields,
    ...('text' in fields ? { text: label(user, files, links) } : {}),
    ...('url' in fields ? { url: url(user, files, links) } : {}),
  });
}

function all<T>(parts: readonly Made<T>[]): Made<T[]> {
  return (user, files, links) => parts.map((part) => part(user, files, links));
}

/** A photo comes in several sizes, the largest last. */
function fileIdOf(message: unknown, field: string): string | null {
  const sent = fieldsOf(message)[field];
  const id = fieldsOf(Array.isArray(sent) ? sent.at(-1) : sent)['file_id'];
  return typeof id === 'string' ? id : null;
}

function itemsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
