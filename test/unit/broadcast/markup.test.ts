import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMarkup, parseModeOf, visibleText } from '../../../src/domain/broadcast/markup.ts';
import { MarkupError } from '../../../src/domain/broadcast/markup-html.ts';

/** Expectations are what the platform's own parser says (tdlib, test/message_entities.cpp, and its error messages). */

const html = (text: string): string => visibleText(text, 'HTML');
const markdown = (text: string): string => visibleText(text, 'MarkdownV2');

describe('HTML', () => {
  it.each([
    ['', ''],
    ['<b>bold</b> <STRONG>bold</strong>', 'bold bold'],
    ['<i>a<u>b<s>c<tg-spoiler>d</tg-spoiler></s></u></i>', 'abcd'],
    ['<a href="https://example.com/?a=1&amp;b=2">link</a>', 'link'],
    ["<a href='x'>y</a>", 'y'],
    ['<a href=example.com >y</a>', 'y'],
    ['<span class="tg-spoiler">hidden</span>', 'hidden'],
    ['<pre><code class="language-python">print(1 &lt; 2)</code></pre>', 'print(1 < 2)'],
    ['<blockquote expandable>long</blockquote>', 'long'],
    ['<tg-emoji emoji-id="5368324170671202286">👍</tg-emoji>', '👍'],
    ['<tg-time unix="1647531900" format="wDT">22:45 tomorrow</tg-time>', '22:45 tomorrow'],
    ['&lt;&gt;&amp;&quot; &#39;&#x1F600; &lt', '<>&" \'😀 <'],
    ['&nbsp; & && &#0; &#xD800; &ltx;', '&nbsp; & && &#0; &#xD800; &ltx;'],
    ['<b>x</>', 'x'],
    ['<b >x</b  >', 'x'],
  ])('%s reads %s', (text, visible) => expect(html(text)).toBe(visible));

  it.each([
    ['<br>', 'Unsupported start tag "br" at byte offset 0'],
    ['a < b', 'Unsupported start tag "" at byte offset 2'],
    ['é <script>', 'Unsupported start tag "script" at byte offset 3'],
    ['x <b', 'Unclosed start tag at byte offset 2'],
    ['<a href="x', 'Unclosed start tag at byte offset 0'],
    ['<a ="x">y</a>', 'Empty attribute name in the tag "a" at byte offset 0'],
    ['<a href=x/>y</a>', 'Unexpected end of name token at byte offset 8'],
    ['<span>x</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
    ['<tg-emoji emoji-id="x">y</tg-emoji>', 'Invalid custom emoji identifier specified'],
    ['x</b>', 'Unexpected end tag at byte offset 1'],
    ['<b>x</b', 'Unclosed end tag at byte offset 4'],
    ['<b>x</i>', 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'],
    ['<b><i>x</b></i>', 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'],
    ['<b>x', 'Can\'t find end tag corresponding to start tag "b"'],
  ])('%s is refused: %s', (text, message) => expect(() => html(text)).toThrow(new MarkupError(message)));
});

describe('MarkdownV2', () => {
  it.each([
    ['', ''],
    ['*bold* _italic_ __underline__ ~strike~ ||spoiler||', 'bold italic underline strike spoiler'],
    ['*bold _italic bold ~strike ||spoiler||~ __under___ bold*', 'bold italic bold strike spoiler under bold'],
    ['_🏟 __🏟___', '🏟 🏟'],
    ['__🏟 _🏟_\\___', '🏟 🏟_'],
    ['`code *_[`', 'code *_['],
    ['```python\nprint(1)```', 'print(1)'],
    ['```🏟\n\n🏟```', '\n🏟'],
    ['```🏟 \\\\\\`🏟```', ' \\`🏟'],
    ['[link](https://example.com/?a=\\))', 'link'],
    ['[telegram\\.org]a', 'telegram.orga'],
    ['[](telegram.org)', ''],
    ['![👍](tg://emoji?id=5368324170671202286)', '👍'],
    ['![22:45](tg://time?unix=1647531900&format=t)', '22:45'],
    ['>quoted\n>more\nnot', 'quoted\nmore\nnot'],
    ['**>quoted\n>hidden||\nnot', 'quoted\nhidden\nnot'],
    ['>`b\n>c`\n>asd', 'b\n>c\nasd'],
    ['\\*not bold\\*\\\\', '*not bold*\\'],
    ['\\➡️\\', '\\➡️\\'],
    ['🏟**', '🏟'],
    ['>||', ''],
  ])('%s reads %s', (text, visible) => expect(markdown(text)).toBe(visible));

  it.each([
    ['🏟 🏟_abacaba', "Can't find end of Italic entity at byte offset 9"],
    ['🏟 🏟_abac * asd _', "Can't find end of Italic entity at byte offset 21"],
    ['🏟 🏟```a ', "Can't find end of PreCode entity at byte offset 9"],
    ['🏟 🏟__🏟 🏟_', "Can't find end of Italic entity at byte offset 20"],
    ['🏟 🏟```🏟 🏟`', "Can't find end of Code entity at byte offset 21"],
    ['[telegram\\.org](asd\\)', "Can't find end of a URL at byte offset 16"],
    ['![👍]', 'Custom emoji entity must contain a tg://emoji URL'],
    ['![👍](t://emoji?id=1234)', 'Custom emoji URL must have scheme tg'],
    ['![👍](tg:emojis?id=1234)', 'Custom emoji URL must have host "emoji"'],
    ['![👍](tg://emoji?test=1#&id=25)', 'Custom emoji URL must have an emoji identifier'],
    ['![👍](tg://emoji?id=025)', 'Invalid custom emoji identifier specified'],
    ['>*b\n>ld*\nasd\n>x*', "Can't find end of Bold entity at byte offset 15"],
    ['>*b\n>ld \nld*', "Can't find end of Bold entity at byte offset 1"],
    ['>\n*a*>2', "Character '>' is reserved and must be escaped with the preceding '\\'"],
  ])('%s is refused: %s', (text, message) => expect(() => markdown(text)).toThrow(new MarkupError(message)));

  it('refuses each reserved sign by itself, and takes it escaped', () => {
    for (const sign of ']()#+-=|{}.!') {
      expect(() => markdown(`a ${sign}`)).toThrow(`Character '${sign}' is reserved`);
      expect(markdown(`a \\${sign}`)).toBe(`a ${sign}`);
    }
    for (const sign of '_*[~`') expect(() => markdown(`a ${sign}`)).toThrow("Can't find end of");
  });
});

describe('any text', () => {
  const pieces = fc.constantFrom(
    ...'_*[]()~`>#+-=|{}.!\\<>/&;="\n\r ab',
    '🏟',
    '<b>',
    '</b>',
    '||',
    '```',
    '](',
    '&lt;',
  );
  it('is read or refused, never anything else', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        for (const mode of ['HTML', 'MarkdownV2'] as const)
          try {
            const visible = visibleText(parts.join(''), mode);
            expect(visible.length).toBeLessThanOrEqual(parts.join('').length);
          } catch (error) {
            expect(error).toBeInstanceOf(MarkupError);
          }
      }),
      { numRuns: 1000 },
    );
  });

  it('without a mode is read as it is, and modes have any case', () => {
    expect(visibleText('<b>*x*', null)).toBe('<b>*x*');
    expect(['html', 'HTML', 'markdownv2', 'MarkdownV2', 'Markdown', ''].map(parseModeOf)).toEqual([
      'HTML',
      'HTML',
      'MarkdownV2',
      'MarkdownV2',
      undefined,
      undefined,
    ]);
  });
});

describe('entities', () => {
  const entities = (text: string, mode: 'HTML' | 'MarkdownV2'): string[] => {
    const read = parseMarkup(text, mode);
    return read.entities.map(({ type, offset, length, url, language }) =>
      [type, read.text.slice(offset, offset + length), url ?? language].filter((part) => part !== undefined).join(' '),
    );
  };

  it.each([
    ['a <b>bold <i>both</i></b>', ['bold bold both', 'italic both']],
    ['<b><i>x</i></b>', ['bold x', 'italic x']],
    ['👍<u>x</u><s>y</s><del>z</del>', ['underline x', 'strikethrough y', 'strikethrough z']],
    ['<a href="https://a.example/?a=1&amp;b=2">link</a>', ['text_link link https://a.example/?a=1&b=2']],
    ['<a>a.example</a>', ['text_link a.example a.example']],
    ['<pre><code class="language-python">x</code></pre>', ['pre x python']],
    ['<pre>x</pre><code>y</code>', ['pre x', 'code y']],
    ['<span class="tg-spoiler">x</span>', ['spoiler x']],
    ['<blockquote expandable>x</blockquote><blockquote>y</blockquote>', ['expandable_blockquote x', 'blockquote y']],
    ['<tg-emoji emoji-id="5368324170671202286">👍</tg-emoji>', ['custom_emoji 👍']],
    ['<tg-time unix="1647531900">x</tg-time><b></b>', []],
  ])('of the HTML %s', (text, expected) => expect(entities(text, 'HTML')).toEqual(expected));

  it.each([
    ['a *bold _both_*', ['bold bold both', 'italic both']],
    ['__u__ ~s~ ||h||', ['underline u', 'strikethrough s', 'spoiler h']],
    ['[link](https://a.example/?a=\\))', ['text_link link https://a.example/?a=)']],
    ['[a\\.example]', ['text_link a.example a.example']],
    ['```python\nx```', ['pre x python']],
    ['```\nx```', ['pre x']],
    ['>one\n>two\nafter', ['blockquote one\ntwo\n']],
    ['>one||\nafter', ['expandable_blockquote one\n']],
    ['![👍](tg://emoji?id=5368324170671202286)', ['custom_emoji 👍']],
    ['![x](tg://time?unix=1)', []],
  ])('of the MarkdownV2 %s', (text, expected) => expect(entities(text, 'MarkdownV2')).toEqual(expected));
});
