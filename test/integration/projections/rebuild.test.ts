import { describe } from 'vitest';
import { longRows } from '../../support/long-only.ts';
import { startTestService } from '../../support/service.ts';
import { describeRebuild } from './rebuild.suite.ts';

/** `test/long/engines.test.ts` rebuilds the read models one after the other, on each engine, before a release. */
describe('a rebuild', () =>
  describeRebuild(() => startTestService(), { unchanged: ['events'], changes: longRows([['users']]) }));
