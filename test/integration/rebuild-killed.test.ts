import { startTestService } from '../support/service.ts';
import { describeKilledRebuild, describeLeftVersions } from './rebuild-killed.suite.ts';

/** `test/long/engines.test.ts` runs these tests on the other engines. */
describeKilledRebuild(() => startTestService());
describeLeftVersions(() => startTestService());
