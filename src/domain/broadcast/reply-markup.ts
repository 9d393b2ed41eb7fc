import { type Problem, under } from '../problem.ts';
import { isJsonObject, type JsonObject, property } from '../storable-json.ts';
import { isTemplate } from './template.ts';
import { templateProblem } from './template-check.ts';

/** Inline keyboards (https://core.telegram.org/bots/api#inlinekeyboardmarkup). */

const MAX_BUTTONS = 100;
const MAX_CALLBACK_BYTES = 64;
const MAX_COPIED = 256;
const MAX_QUERY = 256;
const STYLES = ['danger', 'success', 'primary'];

/** A checked value of the keyboard; undefined: it is invalid, and its problem is in the list. */
type Read = (value: unknown, path: string, problems: Problem[]) => unknown;

const flag: Read = (value, path, problems) => {
  if (typeof value === 'boolean') return value;
  problems.push({ path, message: 'must be true or false' });
  return undefined;
};

/** @param wrong finds the problem of a text; undefined: it is valid */
function text(wrong: (value: string) => string | undefined): Read {
  return (value, path, problems) => {
    const message = typeof value === 'string' ? wrong(value) : 'must be a string';
    if (message === undefined) return value;
    problems.push({ path, message });
    return undefined;
  };
}

function object(fields: Readonly<Record<string, Read>>, required: readonly string[]): Read {
  return (value, path, problems) => {
    if (isJsonObject(value)) return readFields(value, fields, required, path, problems);
    problems.push({ path, message: 'must be an object' });
    return undefined;
  };
}

function readFields(
  given: JsonObject,
  fields: Readonly<Record<string, Read>>,
  required: readonly string[],
  path: string,
  problems: Problem[],
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const key of Object.keys(given)) {
    const value = property(given, key);
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined)
      problems.push({ path: under(path, key), message: 'there is no such field', allowed: Object.keys(fields) });
    else if (value !== undefined) read[key] = field(value, under(path, key), problems);
  }
  for (const key of required)
    if (property(given, key) === undefined) problems.push({ path: under(path, key), message: `${key} is required` });
  return read;
}

const label = text((value) => (value.trim() === '' ? 'must not be empty' : templateProblem(value)));
/** Links of the platform itself have no host. */
const buttonUrl = text((value) => {
  if (isTemplate(value)) return templateProblem(value);
  return isUrl(value, ['http:', 'https:', 'tg:', 'ton:', 'tonsite:'])
    ? undefined
    : 'must be an http, https or tg address';
});
const httpsUrl = text((value) => (isUrl(value, ['https:']) ? undefined : 'must be an https address'));
const plain = text((value) => (value.trim() === '' ? 'must not be empty' : undefined));
const upTo = (max: number) =>
  text((value) => {
    const { length } = [...value];
    return length <= max ? undefined : `must have at most ${max} characters, and has ${length}`;
  });
const callbackData = text((value) => {
  const bytes = Buffer.byteLength(value);
  return bytes >= 1 && bytes <= MAX_CALLBACK_BYTES
    ? undefined
    : `must have 1 to ${MAX_CALLBACK_BYTES} bytes, and has ${bytes}`;
});
const copied = text((value) =>
  value !== '' && [...value].length <= MAX_COPIED ? undefined : `must have 1 to ${MAX_COPIED} characters`,
);
const username = text((value) => (/^@?\w{1,32}$/.test(value) ? undefined : 'must be a username'));
const emojiId = text((value) => (/^[1-9]\d{0,18}$/.test(value) ? undefined : 'must be the id of a custom emoji'));
const style = text((value) => (STYLES.includes(value) ? undefined : `must be one of ${STYLES.join(', ')}`));

/** The actions of a button: each button has one. */
const ACTIONS: Readonly<Record<string, Read>> = {
  url: buttonUrl,
  callback_data: callbackData,
  web_app: object({ url: httpsUrl }, ['url']),
  login_url: object({ url: httpsUrl, forward_text: plain, bot_username: username, request_write_access: flag }, [
    'url',
  ]),
  switch_inline_query: upTo(MAX_QUERY),
  switch_inline_query_current_chat: upTo(MAX_QUERY),
  switch_inline_query_chosen_chat: object(
    {
      query: upTo(MAX_QUERY),
      allow_user_chats: flag,
      allow_bot_chats: flag,
      allow_group_chats: flag,
      allow_channel_chats: flag,
    },
    [],
  ),
  copy_text: object({ text: copied }, ['text']),
};
const BUTTON = { text: label, icon_custom_emoji_id: emojiId, style, ...ACTIONS };

function isUrl(value: string, protocols: readonly string[]): boolean {
  if (/[\s{}]/.test(value)) return false;
  // The platform reads `example.com/page` as an http address.
  const address = /^[a-z][a-z\d+.-]*:/i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return protocols.includes(protocol) && (!isWeb || hostname.includes('.') || hostname === 'localhost');
}

/** Checks a keyboard. Adds mistakes to `problems`; then the result must not be used. */
export function parseReplyMarkup(input: unknown, path: string, problems: Problem[]): unknown {
  const markup = object({ inline_keyboard: (rows, at) => parseRows(rows, at, problems) }, ['inline_keyboard']);
  return markup(input, path, problems);
}

function parseRows(input: unknown, path: string, problems: Problem[]): unknown {
  if (!Array.isArray(input) || input.length === 0) {
    problems.push({ path, message: 'must be an array of rows, at least one' });
    return undefined;
  }
  const rows: unknown[] = input;
  const buttons = rows.reduce<number>((sum, row) => sum + (Array.isArray(row) ? row.length : 0), 0);
  if (buttons > MAX_BUTTONS) {
    problems.push({ path, message: `must have at most ${MAX_BUTTONS} buttons, and has ${buttons}` });
    return undefined;
  }
  return rows.map((row, index) => {
    const at = under(path, index);
    if (Array.isArray(row) && row.length > 0)
      return row.map((button: unknown, place) => parseButton(button, under(at, place), problems));
    problems.push({ path: at, message: 'must be an array of buttons, at least one' });
    return undefined;
  });
}

function parseButton(input: unknown, path: string, problems: Problem[]): unknown {
  if (!isJsonObject(input)) {
    problems.push({ path, message: 'must be an object with text and the action of the button' });
    return undefined;
  }
  const actions = Object.keys(ACTIONS);
  const given = actions.filter((action) => property(input, action) !== undefined);
  if (given.length !== 1)
    problems.push({ path, message: `must do exactly one thing, and does ${given.length}`, allowed: actions });
  return readFields(input, BUTTON, ['text'], path, problems);
}
