import { defineConfig } from 'vitest/config';

/** What takes minutes: run before a release, not with every change. */
export default defineConfig({
  test: {
    include: [
      'test/long/**/*.test.ts',
      // With many more cases than `npm test` tries.
      'test/integration/**/*-oracle.test.ts',
      'test/integration/events-projection.test.ts',
      'test/integration/events-projection-slices.test.ts',
      'test/integration/referral/read-model.test.ts',
    ],
    // What stands here is put over the environment that is given.
    env: {
      PROPERTY_TIMES: process.env['PROPERTY_TIMES'] ?? '20',
      PROPERTY_SEED: process.env['PROPERTY_SEED'] ?? 'random',
    },
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 1,
  },
});
