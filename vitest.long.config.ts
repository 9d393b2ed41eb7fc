import { defineConfig } from 'vitest/config';

/** What takes minutes: run before a release, not with every change. */
export default defineConfig({
  test: {
    include: [
      'test/long/**/*.test.ts',
      // With many more cases than `npm test` tries.
      'test/integration/**/*-oracle.test.ts',
      'test/integration/events-projection.test.ts',
      'test/integration/referral/read-model.test.ts',
    ],
    env: { PROPERTY_TIMES: '20' },
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
  },
});
