import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** What takes minutes: run before a release, not with every change. */
export default defineConfig({
  // The packages of packages/ as they are, not as they were built last. The other conditions are vitest's own.
  ssr: { resolve: { conditions: ['@botledger/source', 'node', 'development|production'] } },
  test: {
    include: [
      'test/long/**/*.test.ts',
      // With many more cases than `npm test` tries.
      'test/integration/**/*-oracle.test.ts',
      'test/integration/projections/events-projection.test.ts',
      'test/integration/projections/events-projection-slices.test.ts',
      'test/integration/referral/read-model.test.ts',
      ...testsWithLongOnes(),
    ],
    // What stands here is put over the environment that is given.
    env: {
      PROPERTY_TIMES: process.env['PROPERTY_TIMES'] ?? '20',
      PROPERTY_SEED: process.env['PROPERTY_SEED'] ?? 'random',
      TEST_LONG: 'true',
    },
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 1,
  },
});

/** Files with a test by `longOnly`; the suites of the log have one, too. */
function testsWithLongOnes(): string[] {
  const contracts = ['postgres', 'kafka', 'eventstore'].map((engine) => `test/contract/${engine}.test.ts`);
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name));
  return [...contracts, ...files.filter((file) => readFileSync(file, 'utf8').includes('/long-only.ts'))];
}
