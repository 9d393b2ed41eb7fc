import { type TestFunction, test } from 'vitest';

const IS_LONG = process.env['TEST_LONG'] !== undefined;

/**
 * Registers a test only in `npm run test:long`. For a test that takes 8 s or more, in a file whose subject `npm test`
 * also tries.
 */
export function longOnly(name: string, run: TestFunction, timeoutMs?: number): void {
  if (IS_LONG) test(name, run, timeoutMs);
}

/** Rows of a `test.each` that only `npm run test:long` tries, besides one of the same kind that `npm test` tries. */
export function longRows<T>(rows: readonly T[]): readonly T[] {
  return IS_LONG ? rows : [];
}
