import { LosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { exactNumber, isJsonObject, property, safeInteger, unstorableText } from '../../../src/domain/storable-json.ts';

describe('safeInteger', () => {
  it.each([
    [5, 5],
    [-3, -3],
    [new LosslessNumber('5.0'), 5],
    [new LosslessNumber('5e3'), 5000],
    [9007199254740991, 9007199254740991],
    [new LosslessNumber('9007199254740991'), 9007199254740991],
  ])('accepts %s', (input, integer) => expect(safeInteger(input)).toBe(integer));

  it.each([
    5.5,
    9007199254740992,
    new LosslessNumber('9007199254740993'),
    new LosslessNumber('5.00000000000000000001'),
    new LosslessNumber('1e1000000000'),
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '5',
    true,
    null,
    undefined,
  ])('refuses %s', (input) => expect(safeInteger(input)).toBeUndefined());
});

it('exactNumber keeps every digit', () => {
  expect(exactNumber(new LosslessNumber('0.10000000000000000001'))?.toFixed()).toBe('0.10000000000000000001');
  expect(exactNumber(0.1)?.toFixed()).toBe('0.1');
});

it('an object is not an array, null or a number that keeps its text', () => {
  expect([{}, { isLosslessNumber: true }].every(isJsonObject)).toBe(true);
  expect([[], null, new LosslessNumber('1'), 'x', undefined].some(isJsonObject)).toBe(false);
});

it('only own properties count, and null counts as absent', () => {
  expect(property({ a: null }, 'a')).toBeUndefined();
  expect(property({}, 'constructor')).toBeUndefined();
  expect(property(JSON.parse('{"__proto__": 1}'), '__proto__')).toBe(1);
});

it('unstorableText finds U+0000 and lone surrogates in keys and values, and accepts pairs of surrogates', () => {
  expect(unstorableText({ a: ['x', { b: '\0' }], c: '\u{1f600}' }).map(({ path }) => path)).toEqual(['a.1.b']);
  expect(
    unstorableText({ a: { '\udc00': 1 }, b: '\ud800x' })
      .map(({ path }) => path)
      .sort(),
  ).toEqual(['a', 'b']);
});
