import { startTestService } from '../support/service.ts';
import { describeKilledRebuild, describeLeftVersions } from './rebuild-killed.suite.ts';

/** On the other engines whole: `test/long/engines.test.ts`. */
describeKilledRebuild(() => startTestService());
describeLeftVersions(() => startTestService());
