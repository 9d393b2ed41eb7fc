import { defineConfig } from 'vitest/config';

/** What takes minutes: run before a release, not with every change. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
  },
});
