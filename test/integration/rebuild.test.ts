import { describe } from 'vitest';
import { startTestService } from '../support/service.ts';
import { describeRebuild } from './rebuild.suite.ts';

/** On the other engines, and of all with the same tables, before a release: `test/long/engines.test.ts`. */
describe('a rebuild', () => describeRebuild(() => startTestService(), ['events']));
