import { LosslessNumber } from 'lossless-json';
import { expect, it } from 'vitest';
import { JsonSyntaxError, MAX_DEPTH, parseJson } from '../../src/api/json.ts';

const parsed = (text: string): unknown => parseJson(Buffer.from(text));
const nested = (depth: number, inner = ''): string => '['.repeat(depth) + inner + ']'.repeat(depth);

it.each([
  ['[1.5e3,-0.25,0e99,1E-31]', [1500, -0.25, 0, 1e-31]],
  ['[123456789012345,1e1]', [123456789012345, 10]],
])('%s are plain numbers', (text, numbers) => expect(parsed(text)).toEqual(numbers));

it.each(['9007199254740993', '0.10000000000000000001', '1e400', '1e-400'])('%s keeps its text', (text) => {
  expect(parsed(`[${text}]`)).toEqual([new LosslessNumber(text)]);
});

it.each([
  ['of plain numbers', '1'],
  ['with a number for the slow parser', '1e1'],
])('takes %s nested to the limit, and no deeper', (_, inner) => {
  expect(() => parsed(nested(MAX_DEPTH, inner))).not.toThrow();
  expect(() => parsed(nested(MAX_DEPTH + 1, inner))).toThrow(JsonSyntaxError);
  expect(() => parsed('{"a":'.repeat(MAX_DEPTH + 1))).toThrow(`deeper than ${MAX_DEPTH}`);
});

it('brackets in strings are not nesting, and siblings are not deep', () => {
  expect(parsed(JSON.stringify(`"\\${'['.repeat(500)}`))).toBe(`"\\${'['.repeat(500)}`);
  expect(parsed(`[${Array(500).fill('[]').join()}]`)).toHaveLength(500);
});
