import { describe, expect, test } from 'vitest';
import { prepareMessage } from '../../../src/domain/broadcast/sending-message.ts';

const NO_FILES = new Map<string, string>();

describe('the parameters of a call', () => {
  test('are the message’s fields, in the platform’s own spelling, but for the pin', () => {
    const content = {
      text: '<b>x</b>',
      parse_mode: 'html',
      protect_content: true,
      pin_message: true,
      reply_markup: null,
    };
    const message = prepareMessage('sendMessage', content, false);
    expect(message.parameters({}, NO_FILES)).toEqual({ text: '<b>x</b>', parse_mode: 'HTML', protect_content: true });
    expect(message).toMatchObject({ method: 'sendMessage', units: 1, pins: true, urls: [], asksUser: false });
  });

  test('say that the sending may cost something, if it may', () => {
    expect(prepareMessage('sendMessage', { text: 'x' }, true).parameters({}, NO_FILES)).toEqual({
      text: 'x',
      allow_paid_broadcast: true,
    });
  });

  test('name the recipient, escaped for each place', () => {
    const content = {
      text: '*{{ user.first_name }}*{% if user.is_premium %} \\+{% endif %}',
      parse_mode: 'MarkdownV2',
      reply_markup: {
        inline_keyboard: [[{ text: '{{ user.first_name }}', url: 'https://x.y/{{ user.first_name }}' }]],
      },
    };
    const message = prepareMessage('sendMessage', content, false);
    expect(message.asksUser).toBe(true);
    expect(message.parameters({ first_name: 'a.b', is_premium: true }, NO_FILES)).toEqual({
      text: '*a\\.b* \\+',
      parse_mode: 'MarkdownV2',
      reply_markup: { inline_keyboard: [[{ text: 'a.b', url: 'https://x.y/a.b' }]] },
    });
  });
});

describe('files', () => {
  const url = 'https://files.example/a.jpg';

  test.each([
    ['sendPhoto', 'photo', { photo: [{ file_id: 'small' }, { file_id: 'large' }] }, 'large'],
    ['sendVideo', 'video', { video: { file_id: 'v' } }, 'v'],
    ['sendDocument', 'document', { document: { file_id: 'd' } }, 'd'],
    ['sendAnimation', 'animation', { animation: { file_id: 'a' }, document: { file_id: 'd' } }, 'a'],
    ['sendAudio', 'audio', { audio: { file_id: 'm' } }, 'm'],
    ['sendVoice', 'voice', { voice: { file_id: 'o' } }, 'o'],
  ] as const)('%s: what was sent by URL goes by its id from then on', (method, field, result, file_id) => {
    const message = prepareMessage(method, { [field]: url }, false);
    expect(message.urls).toEqual([url]);
    const first = message.parameters({}, NO_FILES);
    expect(first).toEqual({ [field]: url });
    expect(message.filesOf(first, result)).toEqual([{ url, file_id }]);
    const second = message.parameters({}, new Map([[url, file_id]]));
    expect(second).toEqual({ [field]: file_id });
    expect(message.filesOf(second, result)).toEqual([]);
  });

  test('an album counts its length, and each of its files has an id', () => {
    const media = [
      { type: 'photo', media: url, caption: 'Hi {{ user.first_name }}' },
      { type: 'video', media: 'known' },
    ];
    const message = prepareMessage('sendMediaGroup', { media }, false);
    expect(message.units).toBe(2);
    const given = message.parameters({ first_name: 'Ann' }, NO_FILES);
    expect(given).toEqual({ media: [{ type: 'photo', media: url, caption: 'Hi Ann' }, media[1]] });
    const results = [
      { message_id: 5, photo: [{ file_id: 'p' }] },
      { message_id: 6, video: { file_id: 'v' } },
    ];
    expect(message.filesOf(given, results)).toEqual([{ url, file_id: 'p' }]);
    expect(message.messageIdOf(results)).toBe(5);
  });

  test('a result that says nothing teaches nothing', () => {
    const message = prepareMessage('sendPhoto', { photo: url }, false);
    for (const result of [undefined, null, {}, { photo: [] }, { photo: 'x' }, []]) {
      expect(message.filesOf({ photo: url }, result)).toEqual([]);
      expect(message.messageIdOf(result)).toBeNull();
    }
  });
});
