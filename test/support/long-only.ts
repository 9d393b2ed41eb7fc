import { type TestFunction, test } from 'vitest';

/** Registers a test in `npm run test:long` alone. For a test that takes 8 s or more, in a file whose subject `npm test` also tries. */
export function longOnly(name: string, run: TestFunction, timeoutMs?: number): void {
  if (process.env['TEST_LONG'] !== undefined) test(name, run, timeoutMs);
}
