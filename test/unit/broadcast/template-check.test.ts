import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTemplate, TemplateError } from '../../../src/domain/broadcast/template.ts';
import { checkTemplate } from '../../../src/domain/broadcast/template-check.ts';

/** Returns the error of a template; undefined: it has none. */
function said(text: string): string | undefined {
  try {
    checkTemplate(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error.message;
  }
}

describe('a template that is saved', () => {
  it.each([
    '{{ user.first_name }}',
    '{{user.first_name|default:"friend"}}',
    "{{- user.last_name | default: user.username | default: 'you' -}}",
    '{{ user.is_premium | default: 1, allow_false: true }}',
    '{{ user["first_name"] }} {{ user.custom_fields["Größe (cm)"] }}',
    '{{ user.custom_fields.город }} {{ user.custom_fields.size }}',
    '{{ user.addition_fields.utm_source }}',
    '{{ "{{" }} {{ -1.5 }}',
    '{% if user.user_id > 10 and user.gender == "f" or not user.is_bot %}a{% elsif user.username contains "x" %}b{% else %}c{% endif %}',
    '{% unless user.last_name == blank %}{{ user.last_name }}{% endunless %}',
    '{%- if user.custom_fields.a -%}{% if user.custom_fields.b %}x{% endif %}{%- endif -%}',
    'a } b {% if true %}%}{% endif %}',
  ])('takes %s', (text) => expect(said(text)).toBeUndefined());

  it.each([
    ['{{ user.first_name first }}', 'line 1, column 20: unexpected first'],
    ['{{ user.first_name, "x" }}', 'line 1, column 19: unexpected ,'],
    ['{% if user.user_id > %}x{% endif %}', 'line 1, column 21: a value is missing'],
    ['Hi,\n{% if user.user_id == 1 and %}x{% endif %}', 'line 2, column 28: a value is missing'],
    ['{{ user.last_name or "friend" }}', 'use | default:'],
    ['{{ user.last_name || "friend" }}', 'use | default:'],
    ['{{ user.last_name default: "friend" }}', 'use | default:'],
    ['{{ user.last_name == "x" }}', 'compared in {% if %}'],
    ['{{ }}', 'needs a value'],
    ['{{ "a" "b" }}', 'unexpected "'],
    ['{{ user.first_name | }}', 'a filter is missing'],
    ['{{ user.first_name | upcase }}', 'undefined filter: upcase'],
    ['{{ user.first_name | default }}', 'default needs a colon and a value'],
    ['{{ user.first_name | default: }}', 'a value is missing'],
    ['{{ user.first_name | default: "a", "b" }}', 'allow_false'],
    ['{{ user.first_name | default: "a" | }}', 'a filter is missing'],
    ['{{ user.first_name.}}', 'a name is missing behind the dot'],
    ['{{ user. first_name }}', 'a name is missing behind the dot'],
    ['{{ user .first_name }}', 'unexpected .'],
    ['{{ user[first_name] }}', 'expected a name in quotes'],
    ['{{ user["first_name" }}', 'expected ]'],
    ['{{ (1..3) }}', 'unexpected ('],
    ['{{ user.first_name | default: “you” }}', 'use straight quotes'],
    ['{{ user.first_name } and {{ user.last_name }}', 'unexpected }'],
    ['{{ user.first_name', 'not closed'],
    ['{{ user.first_name | default: "x }}', 'not closed'],
    ['{% if user.user_id = 1 %}x{% endif %}', 'unexpected =: use =='],
    ['{% if user.user_id === 1 %}x{% endif %}', 'unexpected ='],
    ['{% if user.user_id && true %}x{% endif %}', 'unexpected &&: use and'],
    ['{% if !user.is_bot %}x{% endif %}', 'unexpected !: use not'],
    ['{% if user.user_id > 1 < 3 %}x{% endif %}', 'unexpected <'],
    ['{% if user.user_id user.is_bot %}x{% endif %}', 'unexpected user'],
    ['{% if (user.is_bot) %}x{% endif %}', 'unexpected ('],
    ['{% if and %}x{% endif %}', 'a value is missing before and'],
    ['{% if %}x{% endif %}', 'a value is missing'],
    ['{% if user.username | default: "x" %}x{% endif %}', 'filters are for {{ }}'],
    ['{% if true %}x', 'not closed'],
    ['{% if true %}x{% endunless %}', 'tag "endunless" not found'],
    ['{% if true %}x{% else if false %}y{% endif %}', 'use elsif'],
    ['{% if true %}x{% elseif false %}y{% endif %}', 'use elsif'],
    ['{% if true %}x{% else %}y{% else %}z{% endif %}', 'else'],
    ['{% if true %}x{% else %}y{% elsif true %}z{% endif %}', 'elsif'],
    ['{% if true %}x{% endif if %}', 'unexpected if'],
    ['{% else %}', 'tag "else" not found'],
    ['{% for i in (1..9) %}x{% endfor %}', 'tag "for" not found'],
    ['{% assign a = 1 %}', 'tag "assign" not found'],
    ['{% %}', 'tag'],
    ['{% raw %}{{ x }}{% endraw %}', 'tag "raw" not found'],
    ['{% # a comment %}', 'tag'],
  ])('%s is refused: %s', (text, message) => expect(said(text)).toContain(message));

  it.each([
    ['{{ user.firstname }}', 'line 1, column 4: there is no user.firstname: use user.first_name'],
    ['{{ usr.first_name }}', 'there is no usr.first_name: use user.first_name'],
    ['{{ users.last_name }}', 'use user.last_name'],
    ['{{ first_name }}', 'use user.first_name'],
    ['{{ user.city }}', 'or user.custom_fields.city for a custom field'],
    ['{{ user.custom_field.city }}', 'use user.custom_fields.city'],
    ['{{ user.addition_fields.utm_sorce }}', 'use user.addition_fields.utm_source'],
    ['{{ user.first_name.size }}', 'there is no user.first_name.size'],
    ['{{ user.custom_fields.a.b }}', 'user.custom_fields["a.b"]'],
    ['{{ user }}', 'user has no text: name one of its fields'],
    ['{{ user.custom_fields }}', 'name one of its fields'],
    ['{{ user.constructor }}', 'there is no user.constructor'],
    ['{{ user.first_name | default: name }}', 'there is no name'],
    ['{% if user.premium %}x{% endif %}', 'use user.is_premium'],
  ])('%s names what there is not: %s', (text, message) => expect(said(text)).toContain(message));

  const long = '𝒂'.repeat(5000);
  it.each([
    ['a name', `{{ ${long} }}`, 'there is no'],
    ['a custom field', `{{ user.custom.${long} }}`, 'there is no'],
    ['a field of a custom field', `{{ user.custom_fields.a.${long} }}`, 'there is no'],
    ['a tag', `{% ${long} %}`, 'tag'],
    ['a filter', `{{ user.first_name | ${long} }}`, 'undefined filter'],
    ['a word', `{{ "a" ${long} }}`, 'unexpected'],
  ])('a mistake in %s of 5,000 characters has a short error', (_, text, message) => {
    const problem = said(text)!;
    expect(problem).toContain(message);
    expect(problem.length).toBeLessThan(500);
    expect(problem.isWellFormed()).toBe(true);
  });

  it('tells the custom fields that it names', () => {
    const text =
      '{{ user.custom_fields.a | default: user.custom_fields["b c"] }}{% if user.custom_fields.a %}x{% endif %}';
    expect(checkTemplate(text)).toEqual(['a', 'b c']);
    expect(checkTemplate('{{ user.first_name }}')).toEqual([]);
  });
});

/** Expressions with their values: each template that is accepted must be rendered with these values. */
const FIELDS = {
  first_name: 'Ada',
  last_name: '',
  username: null,
  user_id: 42,
  is_premium: false,
  custom_fields: { a: '7', 'b c': 'x' },
};
type Value = string | number | boolean | null | undefined;
interface Meant {
  readonly text: string;
  readonly value: Value;
}
const values: fc.Arbitrary<Meant> = fc.constantFrom<Meant>(
  { text: 'user.first_name', value: 'Ada' },
  { text: "user['last_name']", value: '' },
  { text: 'user.username', value: null },
  { text: 'user.user_id', value: 42 },
  { text: 'user.is_premium', value: false },
  { text: 'user.custom_fields.a', value: '7' },
  { text: 'user.custom_fields["b c"]', value: 'x' },
  { text: 'user.custom_fields.size', value: undefined },
  { text: '"a \\"quoted\\" }} text"', value: 'a "quoted" }} text' },
  { text: "'|'", value: '|' },
  { text: ' -1.5', value: -1.5 },
  { text: '42', value: 42 },
  { text: 'true', value: true },
  { text: 'nil', value: null },
);
const blank = fc.constantFrom(' ', '', '  ', '\n', '\u00a0');
const shown = (value: Value): string => (value === null || value === undefined ? '' : String(value));
const isMissing = (value: Value): boolean => value === null || value === undefined || value === false || value === '';
const output: fc.Arbitrary<Meant> = fc
  .tuple(values, fc.array(values, { maxLength: 2 }), blank)
  .map(([first, others, gap]) => ({
    text: `{{${gap}${[first.text, ...others.map(({ text }) => `default:${gap}${text}`)].join(`${gap}|${gap}`)}${gap}}}`,
    value: shown(others.reduce((value, other) => (isMissing(value) ? other.value : value), first.value)),
  }));
const SIGNS = ['==', '!=', '>', '<', '>=', '<='] as const;
const number: fc.Arbitrary<Meant> = fc.constantFrom<Meant>(
  { text: 'user.user_id', value: 42 },
  { text: '7', value: 7 },
  { text: '42', value: 42 },
);
const compared: fc.Arbitrary<Meant> = fc
  .tuple(number, fc.constantFrom(...SIGNS), number, blank)
  .map(([left, sign, right, gap]) => {
    const [a, b] = [left.value as number, right.value as number];
    const holds = { '==': a === b, '!=': a !== b, '>': a > b, '<': a < b, '>=': a >= b, '<=': a <= b }[sign];
    return { text: `${left.text}${gap}${sign}${gap}${right.text}`, value: holds };
  });
const tested: fc.Arbitrary<Meant> = fc.oneof(
  compared,
  values.map(({ text, value }) => ({ text, value: value !== false && value !== null && value !== undefined })),
);
const joined: fc.Arbitrary<Meant> = fc
  .tuple(tested, fc.constantFrom('and', 'or'), tested)
  .map(([left, word, right]) => ({
    text: `${left.text} ${word} ${right.text}`,
    value: word === 'and' ? left.value && right.value : left.value || right.value,
  }));
const condition: fc.Arbitrary<Meant> = fc.oneof(tested, joined).map(({ text, value }) => ({
  text: `{% if ${text} %}yes{% else %}no{% endif %}`,
  value: value ? 'yes' : 'no',
}));

it('what is accepted is rendered as it reads', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(output, condition), { maxLength: 4 }), (parts) => {
      const text = parts.map((part) => part.text).join('-');
      expect(said(text)).toBeUndefined();
      expect(compileTemplate(text, 'text').render(FIELDS)).toBe(parts.map(({ value }) => value).join('-'));
    }),
    { numRuns: 500 },
  );
});

it('a part that is added, left out or doubled is refused or rendered as it reads', () => {
  const parts = fc.constantFrom(
    'user.first_name',
    '"x"',
    '1',
    'and',
    'or',
    'not',
    '==',
    '>',
    '|',
    'default:',
    ',',
    'contains',
    '(',
    '.',
    '[',
    '=',
    'true',
  );
  const isOutput = /^(?:not\d)?VALUE(?:\|default:VALUE)*$/;
  const isCondition =
    /^(?:not)*VALUE(?:(?:==|>|contains)VALUE)?(?:(?:and|or)(?:not)*VALUE(?:(?:==|>|contains)VALUE)?)*$/;
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 7 }), (words) => {
      const shape = words
        .map((word) => (['user.first_name', '"x"', '1', 'true'].includes(word) ? 'VALUE' : word))
        .join('');
      expect(said(`{{ ${words.join(' ')} }}`) === undefined).toBe(isOutput.test(shape));
      expect(said(`{% if ${words.join(' ')} %}x{% endif %}`) === undefined).toBe(isCondition.test(shape));
    }),
    { numRuns: 2000 },
  );
});
