import { startTestService } from '../../support/service.ts';
import { describeRebuildPart } from './rebuild-part.suite.ts';

// The long tests have all read models.
describeRebuildPart(() => startTestService(), ['users', 'events', 'accounts']);
