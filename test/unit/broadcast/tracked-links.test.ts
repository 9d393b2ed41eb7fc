import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMarkup } from '../../../src/domain/broadcast/markup.ts';
import { prepareMessage } from '../../../src/domain/broadcast/sending-message.ts';
import { trackingProblem, trackLinks } from '../../../src/domain/broadcast/tracked-links.ts';

const LINKS = Array.from({ length: 20 }, (_, i) => `https://me.example/r/a-B_${i}`);
const sent = (content: object, user = {}) =>
  prepareMessage('sendMessage', content as never, false, true).parameters(user, new Map(), LINKS);
const targets = (content: object) => trackLinks(content as never).targets;
const html = (text: string) => ({ text, parse_mode: 'html' });
const markdown = (text: string) => ({ text, parse_mode: 'MarkdownV2' });

describe('a tracked link', () => {
  it.each<[string, object, string[]]>([
    ['quoted', html('<a href="https://a.b/?x=1&amp;y=2">x</a>'), ['https://a.b/?x=1&y=2']],
    ['in single quotes', html(`<b><A HREF = 'http://a.b' >x</A></b>`), ['http://a.b']],
    ['next to a template', html('{{ user.first_name }}<a href="https://a.b">x</a>'), ['https://a.b']],
    ['in a condition', html('{% if user.is_premium %}<a href="https://a.b">x</a>{% endif %}'), ['https://a.b']],
    ['in Markdown', markdown('*[x\\]](https://a.b/c\\)d)* [y](http://e.f)'), ['https://a.b/c)d', 'http://e.f']],
    [
      'in Markdown next to code',
      markdown('`a` [x](https://a.b) ```js\nc``` [y](https://c.d)'),
      ['https://a.b', 'https://c.d'],
    ],
  ])('%s is found', (_, content, found) => expect(targets(content)).toEqual(found));

  it.each<[string, object]>([
    ['of the platform', html('<a href="https://t.me/bot?start=x">x</a><a href="https://sub.telegram.me">y</a>')],
    ['of another scheme', html('<a href="tg://user?id=1">x</a><a href="mailto:a@b.c">y</a>')],
    ['without a scheme', html('<a href="a.b/c">x</a>')],
    ['with a template', html('<a href="https://a.b/{{ user.user_id }}">x</a>')],
    ['in a value', html(`{{ user.first_name | default: '<a href="https://a.b">x</a>' }}`)],
    ['without quotes', html('<a href=a.b>x</a>')],
    ['as visible text', html('https://a.b')],
    ['in text without a mode', { text: '<a href="https://a.b">x</a> [x](https://a.b)' }],
    ['in code', markdown('`[x](https://a.b)` ```\n[x](https://a.b)```')],
    ['of an emoji', markdown('![x](tg://emoji?id=1)')],
    ['next to code in a template', markdown('{% if user.is_premium %}`{% endif %}[x](https://a.b)')],
    ['that is escaped', markdown('\\[x\\]\\(https://a\\.b\\)')],
  ])('%s is none', (_, content) => {
    expect(targets(content)).toEqual([]);
    expect(trackLinks(content as never).content).toEqual(content);
  });

  it('of a button is its address; other actions stay', () => {
    const buttons = [
      { text: 'a', url: 'https://a.b' },
      { text: 'b', login_url: { url: 'https://a.b' } },
      { text: 'c', web_app: { url: 'https://a.b' } },
      { text: 'd', url: 'tg://resolve?domain=x' },
      { text: 'e', url: 'https://a.b/{{ user.user_id }}' },
      { text: 'f', url: 'https://c.d' },
    ];
    const content = { ...html('<a href="https://e.f">x</a>'), reply_markup: { inline_keyboard: [buttons] } };
    expect(targets(content)).toEqual(['https://e.f', 'https://a.b', 'https://c.d']);
    expect(sent(content, { user_id: 7 })).toEqual({
      text: `<a href="${LINKS[0]}">x</a>`,
      parse_mode: 'HTML',
      reply_markup: {
        inline_keyboard: [
          [
            { text: 'a', url: LINKS[1] },
            ...buttons.slice(1, 4),
            { text: 'e', url: 'https://a.b/7' },
            { text: 'f', url: LINKS[2] },
          ],
        ],
      },
    });
  });

  it('does not make a message ask for its recipient', () => {
    expect(prepareMessage('sendMessage', html('<a href="https://a.b">x</a>') as never, false, true).asksUser).toBe(
      false,
    );
  });

  it('of a text that is too long for a template is a problem', () => {
    expect(trackingProblem(html('<a href="https://a.b">x</a>') as never)).toBeUndefined();
    const long = '<b></b>'.repeat(3000);
    expect(trackingProblem(html(`${long}x`) as never)).toBeUndefined();
    expect(trackingProblem(html(`${long}<a href="https://a.b">x</a>`) as never)).toMatch(/tracked/);
  });
});

const word = fc.constantFrom('x', 'yz ', '\u{1f600}', 'ä');
const address = fc.constantFrom('https://a.b/c', 'http://d.e/?f=g', 'https://t.me/x', 'tg://user?id=5');
const HTML_PARTS = fc.oneof(
  word,
  word.map((text) => `<b>${text}</b>`),
  fc.tuple(word, address).map(([text, url]) => `<a href="${url}">${text}</a>`),
  fc.tuple(word, address).map(([text, url]) => `<i><a href='${url}'>${text}</a></i>`),
  word.map((text) => `<pre><code class="language-x">${text}</code></pre>`),
  fc.constant('&amp;&lt;'),
);
const MARKDOWN_PARTS = fc.oneof(
  word,
  word.map((text) => `*${text}*`),
  word.map((text) => `\`[${text}](https://a.b)\``),
  fc.tuple(word, address).map(([text, url]) => `[${text}](${url})`),
  fc.tuple(word, address).map(([text, url]) => `__[a${text}](${url})__`),
  fc.constant('\\[\\]\\(\\)\\!'),
);

it.each<['HTML' | 'MarkdownV2', fc.Arbitrary<string>]>([
  ['HTML', HTML_PARTS],
  ['MarkdownV2', MARKDOWN_PARTS],
])('tracking in %s changes addresses of links alone: no text, no entity and no offset', (mode, part) => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), fc.boolean(), (parts, isTemplate) => {
      const text = parts.join('') + (isTemplate ? '{{ user.first_name }}' : '');
      const content = { text, parse_mode: mode };
      const plain = prepareMessage('sendMessage', content, false).parameters({ first_name: 'N' }, new Map());
      const message = prepareMessage('sendMessage', content, false, true);
      const tracked = message.parameters({ first_name: 'N' }, new Map(), LINKS);
      const [before, after] = [plain, tracked].map(({ text }) => parseMarkup(String(text), mode));
      let next = 0;
      const expected = before!.entities.map((entity) =>
        entity.url !== undefined && /^https?:\/\/(?!t\.me)/.test(entity.url)
          ? { ...entity, url: LINKS[next++] }
          : entity,
      );
      // In a template with code none is tracked.
      const isSkipped = isTemplate && mode === 'MarkdownV2' && text.includes('`');
      expect(after).toEqual(isSkipped ? before : { text: before!.text, entities: expected });
      expect(message.targets).toHaveLength(isSkipped ? 0 : next);
    }),
  );
});
