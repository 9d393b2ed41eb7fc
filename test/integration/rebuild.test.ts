import { describe } from 'vitest';
import { startTestService } from '../support/service.ts';
import { describeRebuild, NAMES } from './rebuild.suite.ts';

/** One after the other, and on the other engines, before a release: `test/long/engines.test.ts`. */
describe('a rebuild', () => describeRebuild(() => startTestService(), { unchanged: ['events'], changes: [NAMES] }));
