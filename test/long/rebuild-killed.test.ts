import { describeKilledRebuild, describeLeftVersions } from '../integration/projections/rebuild-killed.suite.ts';
import { startTestService } from '../support/service.ts';

/** `test/long/engines.test.ts` runs these tests on the other engines. */
describeKilledRebuild(() => startTestService());
describeLeftVersions(() => startTestService());
