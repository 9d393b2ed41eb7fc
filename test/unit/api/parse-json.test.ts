import Big from 'big.js';
import fc from 'fast-check';
import { LosslessNumber, parse, stringify } from 'lossless-json';
import { expect, it } from 'vitest';
import { JsonSyntaxError, MAX_DEPTH, MAX_LONG_NUMBERS, parseJson } from '../../../src/api/exact-json.ts';

const parsed = (text: string): unknown => parseJson(Buffer.from(text));
const nested = (depth: number, inner = ''): string => '['.repeat(depth) + inner + ']'.repeat(depth);

it.each([
  ['[1.5e3,-0.25,0e99,1E-31]', [1500, -0.25, 0, 1e-31]],
  ['[123456789012345,1e1]', [123456789012345, 10]],
  ['[1234567890123456,0.30000000000000004]', [1234567890123456, 0.30000000000000004]],
])('%s are plain numbers', (text, numbers) => expect(parsed(text)).toEqual(numbers));

it.each(['9007199254740993', '0.10000000000000000001', '1e400', '1e-400', '-1e-300', '1e-300', '0.1000000000000000e1'])(
  '%s keeps its text',
  (text) => {
    expect(parsed(`[${text}]`)).toEqual([new LosslessNumber(text)]);
  },
);

it.each([
  ['of plain numbers', '1'],
  ['with a number for the slow parser', '1e1'],
])('accepts %s nested to the limit, and refuses it nested deeper', (_, inner) => {
  expect(() => parsed(nested(MAX_DEPTH, inner))).not.toThrow();
  expect(() => parsed(nested(MAX_DEPTH + 1, inner))).toThrow(JsonSyntaxError);
  expect(() => parsed('{"a":'.repeat(MAX_DEPTH + 1))).toThrow(`deeper than ${MAX_DEPTH}`);
});

it('brackets in strings and siblings do not count as nesting', () => {
  expect(parsed(JSON.stringify(`"\\${'['.repeat(500)}`))).toBe(`"\\${'['.repeat(500)}`);
  expect(parsed(`[${Array(500).fill('[]').join()}]`)).toHaveLength(500);
});

it('long numbers keep their places next to similar texts and unusual keys', () => {
  const long = '0.12345678901234567890';
  const value = parsed(
    `{"2":${long},"1":[1,${long},"é ${long}"],"__proto__":${long},"a":"\\"${long}","d":${long},"d":1e-300}`,
  ) as Record<string, unknown>;
  expect(Object.entries(value)).toEqual([
    ['1', [1, new LosslessNumber(long), `é ${long}`]],
    ['2', new LosslessNumber(long)],
    ['__proto__', new LosslessNumber(long)],
    ['a', `"${long}`],
    ['d', new LosslessNumber('1e-300')],
  ]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(parsed(` ${long} `)).toEqual(new LosslessNumber(long));
});

it.each([
  '012345678901234567890',
  '1.2.3.4.5.6.7.8.9.10',
  '--1234567890123456789',
  '1234567890123456789.',
  '.1234567890123456789',
  '+1234567890123456789',
  '1e4000e1',
  'x1e4000',
  '1e4000 1',
  '1234567890123456789e',
])('refuses %s as JSON, whether its bytes are overwritten or not', (text) => {
  expect(() => parsed(`[${text}]`)).toThrow(JsonSyntaxError);
  expect(() => parsed(`{"a":${text},"a":1}`)).toThrow(JsonSyntaxError);
});

it('accepts 100,000 long numbers, and refuses more', () => {
  const long = '0.12345678901234567890';
  const many = (count: number) => `[${Array(count).fill(long).join()}]`;
  expect((parsed(many(MAX_LONG_NUMBERS)) as unknown[]).at(-1)).toEqual(new LosslessNumber(long));
  expect(() => parsed(many(MAX_LONG_NUMBERS + 1))).toThrow(`more than ${MAX_LONG_NUMBERS} numbers`);
  expect(
    parsed(
      `[${Array(MAX_LONG_NUMBERS + 1)
        .fill('1.25e10')
        .join()},"${'1e400,'.repeat(MAX_LONG_NUMBERS + 1)}"]`,
    ),
  ).toHaveLength(MAX_LONG_NUMBERS + 2);
});

it('returns the result of a parser that keeps the text of every number', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 25, size: 'max' });
  const number = fc
    .tuple(fc.constantFrom('', '-'), digits, fc.option(digits), fc.option(fc.integer({ min: -400, max: 400 })))
    .map(([sign, whole, part, power]) => {
      const mantissa = `${sign}${whole.replace(/^0+(?=\d)/, '')}${part === null ? '' : `.${part}`}`;
      return new LosslessNumber(power === null ? mantissa : `${mantissa}e${power}`);
    });
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      number,
      fc.string({ unit: 'binary' }),
      fc.constantFrom(true, false, null),
      fc.array(tie('json')),
      fc.dictionary(fc.string(), tie('json')),
    ),
  }));
  // Compares numbers by value, since the parser may choose either form.
  const comparable = (value: unknown): unknown => {
    if (value instanceof LosslessNumber) return { exactly: new Big(value.value).toFixed().replace(/^-0$/, '0') };
    if (typeof value === 'number') return { exactly: new Big(value).toFixed().replace(/^-0$/, '0') };
    if (Array.isArray(value)) return value.map(comparable);
    if (typeof value !== 'object' || value === null) return value;
    return Object.entries(value).map(([key, child]) => [key, comparable(child)]);
  };
  fc.assert(
    fc.property(json, (value) => {
      const text = stringify(value)!;
      expect(comparable(parsed(text))).toEqual(comparable(parse(text)));
    }),
    { numRuns: 1000 },
  );
});
