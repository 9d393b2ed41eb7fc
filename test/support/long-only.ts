import { type TestFunction, type TestOptions, test } from 'vitest';

const IS_LONG = process.env['TEST_LONG'] !== undefined;

/**
 * Registers a test only in `npm run test:long`. For a test that takes 4 s or more, in a file whose subject `npm test`
 * also tries.
 * @param rest as `test` takes them
 */
export function longOnly(name: string, ...rest: [TestFunction, number?] | [TestOptions, TestFunction]): void {
  if (IS_LONG) test(name, ...(rest as [TestOptions, TestFunction]));
}

/** Rows of a `test.each` that only `npm run test:long` tries, besides one of the same kind that `npm test` tries. */
export function longRows<T>(rows: readonly T[]): readonly T[] {
  return IS_LONG ? rows : [];
}
