import { expect, it } from 'vitest';
import type { CodedColumn } from '../../../src/columns/chunk.ts';
import { Dictionary } from '../../../src/columns/dictionary.ts';

const columnOf = (...values: readonly (string | number)[]): CodedColumn => {
  return { kind: 'coded', codes: new Uint8Array(0), values: [null, ...values] };
};

it('numbers a value alike in all columns, and reads each value once', () => {
  const dictionary = new Dictionary();
  const read: unknown[] = [];
  const numbering = dictionary.numbering('lower case', (value) => {
    read.push(value);
    return [String(value).toLowerCase()];
  });
  const numbersOf = (column: CodedColumn) =>
    Array.from(dictionary.numbersOf(column), (number) => numbering.numberOf[number]);
  const first = columnOf('a', 'B', 'A');
  expect(numbersOf(first)).toEqual([0, 1, 2, 1]);
  expect(numbersOf(columnOf('b', 'c', 'a'))).toEqual([0, 2, 3, 1]);
  expect(numbersOf(first)).toEqual([0, 1, 2, 1]);
  expect(numbering.values).toEqual([['null'], ['a'], ['b'], ['c']]);
  expect(read).toEqual([null, 'a', 'B', 'A', 'b', 'c']);
  expect(dictionary.numbering('lower case', () => [])).toBe(numbering);
});
