import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MESSAGE_TYPES, type MessageType } from '../../../src/domain/broadcast/broadcast-events.ts';
import { missingContent, parseMessage } from '../../../src/domain/broadcast/message.ts';
import { DEFAULT_SETTINGS, MAX_CAP, MAX_PAID_CAP, parseSettings } from '../../../src/domain/broadcast/settings.ts';
import type { Problem } from '../../../src/domain/problem.ts';

/** Where a message is wrong, below `message`. */
function wrong(type: MessageType, message: unknown): string[] {
  const problems: Problem[] = [];
  parseMessage(type, message, 'message', problems);
  return problems.map(({ path }) => path.replace(/^message\.?/, ''));
}
function said(type: MessageType, message: unknown): string {
  const problems: Problem[] = [];
  parseMessage(type, message, 'message', problems);
  return problems.map(({ message }) => message).join('; ');
}
const text = (message: object): string[] => wrong('sendMessage', message);
const keyboard = (...buttons: unknown[]): string[] =>
  text({ reply_markup: { inline_keyboard: [buttons] } }).map((path) =>
    path.replace(/^reply_markup\.inline_keyboard\.0\.0\.?/, ''),
  );

const media = [
  { type: 'photo', media: 'https://example.com/1.jpg' },
  { type: 'video', media: 'AgACAgIAAxkBAAI', caption: 'Two' },
];
/** Every field of every row of the document's table, with a value that the platform takes. */
const markup = { inline_keyboard: [[{ text: 'Go', url: 'https://example.com' }]] };
const ROWS: Readonly<Record<MessageType, object>> = {
  sendMessage: {
    text: 'Hello',
    parse_mode: 'html',
    reply_markup: markup,
    disable_notification: true,
    protect_content: false,
    pin_message: true,
  },
  sendPhoto: {
    photo: 'https://example.com/1.jpg',
    caption: 'x',
    parse_mode: 'MarkdownV2',
    reply_markup: markup,
    pin_message: false,
  },
  sendVideo: { video: 'BAACAgIAAxkB-_', caption: 'x', parse_mode: 'HTML', reply_markup: markup, pin_message: true },
  sendDocument: { document: 'http://example.com/a%20b.pdf', caption: '', parse_mode: 'html' },
  sendAnimation: { animation: 'https://example.com/1.gif', caption: 'x', parse_mode: 'html' },
  sendAudio: { audio: 'https://example.com/1.mp3', caption: 'x' },
  sendVoice: { voice: 'https://example.com/1.ogg', caption: 'x' },
  sendMediaGroup: { media },
};
const ALL_FIELDS = [...new Set(Object.values(ROWS).flatMap((row) => Object.keys(row)))];

describe('a message', () => {
  it.each(MESSAGE_TYPES)('%s takes the fields of its row, and no other', (type) => {
    const row = ROWS[type];
    expect(said(type, row)).toBe('');
    const values: Record<string, unknown> = Object.assign({}, ...Object.values(ROWS));
    for (const field of [...ALL_FIELDS, 'chat_id', 'entities', '__proto__'])
      if (!(field in row) || field === '__proto__')
        expect(wrong(type, JSON.parse(`{${JSON.stringify(field)}:${JSON.stringify(values[field] ?? 1)}}`))).toEqual([
          field,
        ]);
  });

  it.each(MESSAGE_TYPES)('%s may lack content as a draft, not to be activated', (type) => {
    expect(wrong(type, {})).toEqual([]);
    expect(wrong(type, Object.fromEntries(Object.keys(ROWS[type]).map((key) => [key, null])))).toEqual([]);
    const [content] = Object.keys(ROWS[type]);
    expect(missingContent(type, {}, 'message')?.path).toBe(`message.${content}`);
    expect(missingContent(type, { [content!]: 'x' }, 'message')).toBeUndefined();
  });

  it('comes out as it went in, without what is null', () => {
    const problems: Problem[] = [];
    const given = { ...ROWS.sendMessage, protect_content: null };
    const { protect_content: _, ...kept } = given;
    expect(parseMessage('sendMessage', given, 'message', problems)).toEqual(kept);
  });

  it.each<[MessageType, object, string]>([
    ['sendMessage', { text: 1 }, 'text'],
    ['sendMessage', { text: '' }, 'text'],
    ['sendMessage', { text: ' \n ' }, 'text'],
    ['sendMessage', { text: 'x'.repeat(4097) }, 'text'],
    ['sendMessage', { text: '🏟'.repeat(4097) }, 'text'],
    ['sendMessage', { text: '<b></b>', parse_mode: 'html' }, 'text'],
    ['sendMessage', { text: '<b>x', parse_mode: 'html' }, 'text'],
    ['sendMessage', { text: 'a.b', parse_mode: 'markdownv2' }, 'text'],
    ['sendMessage', { text: 'x\0' }, 'text'],
    ['sendMessage', { text: 'x\ud800' }, 'text'],
    ['sendMessage', { text: '{{ user.first_name' }, 'text'],
    ['sendMessage', { text: '{{ user.first_name | upcase }}' }, 'text'],
    ['sendMessage', { text: '{{ user.first_name first }}' }, 'text'],
    ['sendMessage', { text: '{{ user.firstname }}' }, 'text'],
    ['sendPhoto', { caption: '{{ usr.first_name }}' }, 'caption'],
    ['sendMessage', { text: 'x', parse_mode: 'Markdown' }, 'parse_mode'],
    ['sendMessage', { text: 'x', parse_mode: 1 }, 'parse_mode'],
    ['sendMessage', { pin_message: 'true' }, 'pin_message'],
    ['sendMessage', { disable_notification: 1 }, 'disable_notification'],
    ['sendMessage', { reply_markup: [] }, 'reply_markup'],
    ['sendPhoto', { photo: 1 }, 'photo'],
    ['sendPhoto', { photo: '' }, 'photo'],
    ['sendPhoto', { photo: 'attach://file' }, 'photo'],
    ['sendPhoto', { photo: 'ftp://example.com/1.jpg' }, 'photo'],
    ['sendPhoto', { photo: 'https://exa mple.com' }, 'photo'],
    ['sendPhoto', { photo: 'https://example.com/{{user.user_id}}.jpg' }, 'photo'],
    ['sendPhoto', { caption: 'x'.repeat(1025) }, 'caption'],
    ['sendPhoto', { caption: '🏟'.repeat(1025) }, 'caption'],
    ['sendPhoto', { caption: '*x', parse_mode: 'MarkdownV2' }, 'caption'],
    ['sendVoice', { caption: '{% for %}' }, 'caption'],
    ['sendMediaGroup', { media: media.slice(1) }, 'media'],
    ['sendMediaGroup', { media: Array.from({ length: 11 }, () => media[0]) }, 'media'],
    ['sendMediaGroup', { media: {} }, 'media'],
    ['sendMediaGroup', { media: [media[0], 1] }, 'media.1'],
    ['sendMediaGroup', { media: [media[0], { ...media[1], type: 'audio' }] }, 'media.1.type'],
    ['sendMediaGroup', { media: [media[0], { type: 'photo' }] }, 'media.1.media'],
    ['sendMediaGroup', { media: [media[0], { ...media[1], parse_mode: 'html' }] }, 'media.1.parse_mode'],
    ['sendMediaGroup', { media: [media[0], { ...media[1], caption: 'x'.repeat(1025) }] }, 'media.1.caption'],
  ])('%s is wrong at its place (%#)', (type, message, path) => expect(wrong(type, message)).toEqual([path]));

  it.each<[MessageType, object]>([
    ['sendMessage', { text: 'x'.repeat(4096) }],
    ['sendMessage', { text: '🏟'.repeat(4096) }],
    ['sendMessage', { text: `<b>${'🏟'.repeat(4096)}</b>`, parse_mode: 'html' }],
    ['sendMessage', { text: `<b>${'x'.repeat(4096)}</b>`, parse_mode: 'HTML' }],
    ['sendMessage', { text: `*${'\\.'.repeat(4096)}*`, parse_mode: 'MarkdownV2' }],
    ['sendMessage', { text: `${' '.repeat(5000)}x` }],
    // The text of a template is checked for each recipient.
    ['sendMessage', { text: `{{user.first_name}}${'x'.repeat(5000)}`, parse_mode: 'html' }],
    ['sendMessage', { text: '{% if user.is_premium %}<b>{% endif %}x', parse_mode: 'html' }],
    ['sendPhoto', { caption: 'x'.repeat(1024) }],
    ['sendPhoto', { caption: '🏟'.repeat(1024) }],
    ['sendMediaGroup', { media: Array.from({ length: 10 }, () => media[0]) }],
  ])('%s takes what is just not too much (%#)', (type, message) => expect(said(type, message)).toBe(''));

  it('is an object, and names every mistake', () => {
    for (const message of [1, 'x', [], true]) expect(wrong('sendMessage', message)).toEqual(['']);
    expect(text({ text: '', pin_message: 1, photo: 'x' })).toEqual(['text', 'pin_message', 'photo']);
  });
});

describe('a button', () => {
  it.each<[object]>([
    [{ url: 'https://example.com/?a=1' }],
    [{ url: 'example.com' }],
    [{ url: 'tg://user?id=42' }],
    [{ url: 'https://example.com/{{ user.user_id }}' }],
    [{ callback_data: 'x'.repeat(64) }],
    [{ callback_data: '🏟'.repeat(16) }],
    [{ web_app: { url: 'https://example.com' } }],
    [{ login_url: { url: 'https://example.com', bot_username: 'a_bot', request_write_access: true } }],
    [{ switch_inline_query: '' }],
    [{ switch_inline_query_current_chat: 'x' }],
    [{ switch_inline_query_chosen_chat: { query: 'x', allow_user_chats: true } }],
    [{ copy_text: { text: 'SALE' } }],
    [{ copy_text: { text: '🏟'.repeat(256) } }],
    [{ switch_inline_query: '🏟'.repeat(256) }],
    [{ url: 'https://example.com', style: 'primary', icon_custom_emoji_id: '5368324170671202286' }],
  ])('does %j', (action) => expect(keyboard({ text: 'Go {{user.first_name}}', ...action })).toEqual([]));

  it.each<[unknown, string]>([
    [1, ''],
    [{ text: 'Go' }, ''],
    [{ text: 'Go', url: 'https://example.com', callback_data: 'x' }, ''],
    [{ url: 'https://example.com' }, 'text'],
    [{ text: ' ', url: 'https://example.com' }, 'text'],
    [{ text: '{{ x', url: 'https://example.com' }, 'text'],
    [{ text: '{{ user.firstname }}', url: 'https://example.com' }, 'text'],
    [{ text: 'Go', url: 'https://example.com/{{ user.id }}' }, 'url'],
    [{ text: 'Go', url: 'javascript:alert(1)' }, 'url'],
    [{ text: 'Go', url: 'nowhere' }, 'url'],
    [{ text: 'Go', url: 'https://{{ x' }, 'url'],
    [{ text: 'Go', callback_data: '' }, 'callback_data'],
    [{ text: 'Go', callback_data: 'x'.repeat(65) }, 'callback_data'],
    [{ text: 'Go', callback_data: '🏟'.repeat(17) }, 'callback_data'],
    [{ text: 'Go', web_app: { url: 'http://example.com' } }, 'web_app.url'],
    [{ text: 'Go', web_app: {} }, 'web_app.url'],
    [{ text: 'Go', login_url: { url: 'https://example.com', more: 1 } }, 'login_url.more'],
    [{ text: 'Go', copy_text: { text: '' } }, 'copy_text.text'],
    [{ text: 'Go', copy_text: { text: '🏟'.repeat(257) } }, 'copy_text.text'],
    [{ text: 'Go', callback_data: 'x', style: 'blue' }, 'style'],
    [{ text: 'Go', callback_data: 'x', color: 'blue' }, 'color'],
  ])('%j is wrong at %s', (button, path) => expect(keyboard(button)).toEqual([path]));

  it('neither pays nor plays: those are for other messages', () => {
    for (const action of [{ pay: true }, { callback_game: {} }]) {
      const [key] = Object.keys(action);
      expect(keyboard({ text: 'Go', ...action })).toEqual(['', key]);
    }
  });

  it('is one of 1 to 100, in rows that are not empty', () => {
    const row = (length: number) => Array.from({ length }, () => ({ text: 'Go', callback_data: 'x' }));
    const rows = (...inline_keyboard: unknown[]) => text({ reply_markup: { inline_keyboard } });
    expect(rows(row(50), row(50))).toEqual([]);
    expect(rows(row(50), row(51))).toEqual(['reply_markup.inline_keyboard']);
    expect(rows()).toEqual(['reply_markup.inline_keyboard']);
    expect(rows(row(1), [])).toEqual(['reply_markup.inline_keyboard.1']);
    expect(rows(row(1), 1)).toEqual(['reply_markup.inline_keyboard.1']);
    expect(text({ reply_markup: {} })).toEqual(['reply_markup.inline_keyboard']);
    expect(text({ reply_markup: { keyboard: [] } })).toEqual(['reply_markup.keyboard', 'reply_markup.inline_keyboard']);
  });
});

describe('settings', () => {
  const parse = (input: unknown, maxCap = MAX_CAP) => {
    const problems: Problem[] = [];
    const settings = parseSettings(input, maxCap, 'settings', problems);
    return { settings, wrong: problems.map(({ path }) => path) };
  };

  it('have defaults', () => {
    expect(parse({})).toEqual({ settings: DEFAULT_SETTINGS, wrong: [] });
    expect(parse({ intervalCap: null, rateLimitOnError: { stop: false } }).settings).toEqual({
      intervalCap: 10,
      rateLimitOnError: { stop: false, extraDelay: 0 },
    });
  });

  it('are bounded by what the bot may send', () => {
    for (const [max, cap] of [
      [MAX_CAP, 30],
      [MAX_PAID_CAP, 1000],
    ] as const) {
      expect(parse({ intervalCap: cap }, max).wrong).toEqual([]);
      expect(parse({ intervalCap: cap + 1 }, max).wrong).toEqual(['settings.intervalCap']);
    }
  });

  it.each<[unknown, string]>([
    [1, 'settings'],
    [[], 'settings'],
    [{ intervalCap: 0 }, 'settings.intervalCap'],
    [{ intervalCap: 1.5 }, 'settings.intervalCap'],
    [{ intervalCap: '10' }, 'settings.intervalCap'],
    [{ intervalcap: 10 }, 'settings.intervalcap'],
    [{ track_clicks: 'on' }, 'settings.track_clicks'],
    [{ rateLimitOnError: true }, 'settings.rateLimitOnError'],
    [{ rateLimitOnError: { stop: 1 } }, 'settings.rateLimitOnError.stop'],
    [{ rateLimitOnError: { extraDelay: -1 } }, 'settings.rateLimitOnError.extraDelay'],
    [{ rateLimitOnError: { delay: 1 } }, 'settings.rateLimitOnError.delay'],
  ])('%j are wrong at %s', (input, path) => expect(parse(input).wrong).toEqual([path]));
});

it('any input is accepted or gets errors', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.constantFrom('{{', '{% if %}', '<b>', 'https://', '{{ user.first_name }}', '__proto__'),
  );
  const key = fc.constantFrom(...ALL_FIELDS, 'inline_keyboard', '__proto__', 'constructor');
  const message = fc.oneof(value, fc.dictionary(key, value));
  fc.assert(
    fc.property(fc.constantFrom(...MESSAGE_TYPES), message, (type, input) => {
      const problems: Problem[] = [];
      const parsed = parseMessage(type, input, 'message', problems);
      if (problems.length === 0) expect(Object.keys(parsed).every((field) => field in ROWS[type])).toBe(true);
    }),
    { numRuns: 500 },
  );
});
