import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { visibleText } from '../../../src/domain/broadcast/markup.ts';
import {
  compileTemplate,
  isTemplate,
  TemplateError,
  type TemplatePlace,
} from '../../../src/domain/broadcast/template.ts';
import { checkTemplate } from '../../../src/domain/broadcast/template-check.ts';

const user = {
  user_id: 42,
  first_name: 'Ada <3 & "co" *_`',
  username: null,
  is_premium: true,
  custom_fields: { city: 'London', visits: 3 },
};
const rendered = (text: string, place: TemplatePlace = 'text', given: object = user): string =>
  compileTemplate(text, place).render({ ...given });

describe('a template', () => {
  it.each([
    ['Hi {{user.user_id}} from {{ user.custom_fields.city }}', 'Hi 42 from London'],
    ['{{user.username}}|{{user.nothing}}|{{user.custom_fields.nothing}}|{{other}}', '|||'],
    ['{{ user.username | default: "friend" }}', 'friend'],
    ['{% if user.is_premium %}P{% else %}N{% endif %}', 'P'],
    ['{% if user.username %}u{% elsif user.custom_fields.visits > 2 %}v{% else %}n{% endif %}', 'v'],
    ['{% unless user.is_premium %}N{% endunless %}', ''],
    ['{% if user.custom_fields.city == "London" and user.user_id %}both{% endif %}', 'both'],
    ['a{%- if true %} b {% endif -%} c', 'a b c'],
  ])('%s makes %s', (text, made) => expect(rendered(text)).toBe(made));

  it.each([
    ['{{ user.first_name', 'not closed'],
    ['{% if user.is_premium %}x', 'not closed'],
    ['{% endif %}', 'tag "endif" not found'],
    ['{% if %}x{% endif %}', 'invalid value expression'],
    ['{% for i in (1..9) %}x{% endfor %}', 'tag "for" not found'],
    ['{% assign a = 1 %}', 'tag "assign" not found'],
    ['{% include "/etc/passwd" %}', 'tag "include" not found'],
    ['{% render "x" %}', 'tag "render" not found'],
    ['{% raw %}{{x}}{% endraw %}', 'tag "raw" not found'],
    ['{% comment %}x{% endcomment %}', 'tag "comment" not found'],
    ['{% liquid assign a = 1 %}', 'tag "liquid" not found'],
    ['{{ user.first_name | upcase }}', 'undefined filter: upcase'],
    ['{{ user.first_name | raw }}', 'undefined filter: raw'],
    ['{{ "x" | default: 1 | append: "y" }}', 'undefined filter: append'],
  ])('%s is refused: %s', (text, message) => {
    expect(() => compileTemplate(text, 'HTML')).toThrow(TemplateError);
    expect(() => compileTemplate(text, 'HTML')).toThrow(message);
  });

  it('shows only the recipient’s own properties', () => {
    const text = '{{user.constructor}}{{user.first_name.constructor}}{{user.__proto__}}{{user.toString}}{{user}}';
    expect(rendered(text)).toBe('');
  });

  it('is bounded by the size of its result', () => {
    expect(() => rendered('{{ (1..100000000) }}')).toThrow(TemplateError);
    expect(() => compileTemplate('{{x}}'.padEnd(70_000), 'text')).toThrow(TemplateError);
    const long = { bio: 'x'.repeat(60_000) };
    expect(rendered('{{ user.bio }}'.repeat(10), 'text', long)).toHaveLength(600_000);
    expect(() => rendered('{{ user.bio }}'.repeat(1000), 'text', long)).toThrow(TemplateError);
  });

  it('is not bounded by time', () => {
    let now = 0;
    const slow = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
    try {
      expect(rendered('Hi {{ user.user_id }}{% if user.is_premium %}!{% endif %}')).toBe('Hi 42!');
      expect(checkTemplate('Hi {{ user.first_name }}')).toEqual([]);
    } finally {
      slow.mockRestore();
    }
  });

  it('passes on a failure of the service, which is no error of the template', () => {
    const failing = Object.defineProperty({}, 'first_name', {
      enumerable: true,
      get() {
        throw new RangeError('the service failed');
      },
    });
    const made = compileTemplate('{{ user.custom_fields.x }}', 'text');
    const broken = new Proxy(
      {},
      {
        ownKeys: () => ['x'],
        getOwnPropertyDescriptor: () => {
          throw new RangeError('the service failed');
        },
      },
    );
    expect(() => made.render({ custom_fields: broken })).toThrow(RangeError);
    expect(() => made.render(failing)).toThrow(RangeError);
  });

  it.each(['size', 'first', 'last'])('finds no own %s in any object', (name) => {
    const field = `{{ user.custom_fields.${name} | default: "M" }}|{{ user.${name} }}|{{ user.custom_fields["${name}"] }}`;
    expect(rendered(field)).toBe('M||');
    expect(rendered(field, 'text', { custom_fields: { [name]: 'L' } })).toBe('L||L');
    expect(rendered(field, 'text', { custom_fields: {} })).toBe('M||');
  });

  it('differs from plain text', () => {
    expect(['{{x}}', '{% if', 'a {{', '{x}', '} }', ''].map(isTemplate)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('values', () => {
  it('are escaped for their place; the author’s text is not', () => {
    expect(rendered('<b>{{user.first_name}}</b>', 'HTML')).toBe('<b>Ada &lt;3 &amp; &quot;co&quot; *_`</b>');
    expect(rendered('*{{user.first_name}}*', 'MarkdownV2')).toBe('*Ada <3 & "co" \\*\\_\\`*');
    expect(rendered('{{user.first_name}}')).toBe(user.first_name);
    expect(rendered('{{ user.nothing | default: "<a.b>" }}', 'MarkdownV2')).toBe('<a\\.b\\>');
    expect(rendered('https://x.example/{{user.custom_fields.city}}?n={{user.first_name}}', 'url')).toBe(
      'https://x.example/London?n=Ada%20%3C3%20%26%20%22co%22%20*_%60',
    );
    expect(rendered('{{user.link}}?a=1', 'url', { link: 'https://x.example/a b?c=%20&d' })).toBe(
      'https://x.example/a%20b?c=%20&d?a=1',
    );
  });

  const places = [
    ['HTML', (text: string) => `<b>${text}</b>`],
    ['HTML', (text: string) => `<code>${text}</code>`],
    ['MarkdownV2', (text: string) => `*${text}*`],
    ['MarkdownV2', (text: string) => `\`${text}\``],
    ['MarkdownV2', (text: string) => `\`\`\`x\n${text}\`\`\``],
    ['MarkdownV2', (text: string) => `>${text}`],
    ['MarkdownV2', (text: string) => `_${text}_`],
  ] as const;
  const nasty = fc.string({ unit: fc.constantFrom(...'_*[]()~`>#+-=|{}.!\\<>&;"\' ab🏟é'), minLength: 1 });

  it('are read back unchanged by the platform, whatever characters they have', () => {
    fc.assert(
      fc.property(nasty, fc.constantFrom(...places), (value, [mode, around]) => {
        const text = rendered(around('{{user.name}}'), mode, { name: value });
        expect(visibleText(text, mode)).toBe(value);
      }),
      { numRuns: 1000 },
    );
  });

  it('in the target of a link do not end the link', () => {
    fc.assert(
      fc.property(nasty, (value) => {
        const name = { name: value };
        expect(
          visibleText(rendered('[x](https://a.example/?n={{user.name}}) end', 'MarkdownV2', name), 'MarkdownV2'),
        ).toBe('x end');
        expect(visibleText(rendered('<a href="https://a.example/?n={{user.name}}">x</a>', 'HTML', name), 'HTML')).toBe(
          'x',
        );
      }),
    );
  });
});
