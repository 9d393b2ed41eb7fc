import { LosslessNumber } from 'lossless-json';
import { expect, it } from 'vitest';
import type { Field, FieldType } from '../../../src/domain/condition/condition.ts';
import { parseCondition } from '../../../src/domain/condition/parse-condition.ts';
import { compareText, type FieldValue, predicateOf } from '../../../src/domain/condition/predicate.ts';

/** Whether a field with this type and value fulfils `[operator, "field", …constants]`. */
function holds(type: FieldType, value: FieldValue, operator: string, ...constants: unknown[]): boolean {
  const field: Field = { name: 'field', type };
  const problems: [] = [];
  const catalogue = { find: () => field, names: ['field'] };
  const input = [operator, 'field', ...constants];
  const condition = parseCondition(input, { catalogue, timezone: 'UTC', path: '', problems });
  expect(problems).toEqual([]);
  return predicateOf<Field, FieldValue>(condition!, () => (record) => record)(value);
}

it.each<[FieldType, FieldValue, string, unknown[], boolean]>([
  ['number', '1.50', '=', [1.5], true],
  ['number', '-0', '=', [0], true],
  ['dynamic', new LosslessNumber('1.0'), '=', [1], true],
  ['dynamic', '1', '=', [1], false],
  ['dynamic', '1', '!=', [1], true],
  ['dynamic', { a: 1 }, '!=', ['x'], true],
  ['dynamic', 'b', '>', [1], false],
  ['boolean', false, '=', [false], true],
  ['number', null, '!=', [1], true],
  ['number', null, '<', [1], false],
  ['string', null, '!=', ['x'], true],
  ['date', 999, '=', ['1970-01-01 00:00:00'], true],
  ['date', 1000, '<=', ['1970-01-01 00:00:00'], false],
])('%s %j %s %j: %j', (type, value, operator, constants, expected) => {
  expect(holds(type, value, operator, ...constants)).toBe(expected);
});

it('compares numbers that round to one double by their digits', () => {
  const constant = new LosslessNumber('9007199254740993');
  expect(holds('number', '9007199254740992', '<', constant)).toBe(true);
  expect(holds('number', '9007199254740993.000001', '>', constant)).toBe(true);
  expect(holds('number', '9007199254740992', '=', constant)).toBe(false);
  expect(holds('dynamic', new LosslessNumber('9007199254740994'), '<=', constant)).toBe(false);
});

it('orders text by code points, like its UTF-8 bytes', () => {
  const texts = ['', 'A', 'a', 'ab', 'ä', '\u{d7ff}', '\u{e000}', '\u{fffd}', '\u{10000}', '\u{1f600}', '\u{1f601}'];
  for (const a of texts)
    for (const b of texts) expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
});
