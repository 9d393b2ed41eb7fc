import { defineConfig } from 'vitest/config';
import { SuitesFirst } from './test/support/suites-first.ts';

export default defineConfig({
  // The packages of packages/ as they are, not as they were built last. The other conditions are vitest's own.
  ssr: { resolve: { conditions: ['@botledger/source', 'node', 'development|production'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    exclude: ['test/long/**', 'node_modules/**'],
    // They catch what hangs: no test may depend on a quick machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A state is awaited as long as a slow machine may need, not the default of 1 s.
    expect: { poll: { timeout: 120_000 } },
    // Test files keep nothing in modules; what they share is imported once a worker, which halves the work of short ones.
    isolate: false,
    // On two processors, of which three left a quarter unused: tests wait for services a third of their time.
    maxWorkers: 4,
    sequence: { sequencer: SuitesFirst },
  },
});
