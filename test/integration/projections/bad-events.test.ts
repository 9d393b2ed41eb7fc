import { startTestService } from '../../support/service.ts';
import { describeBadEvents } from './bad-events.suite.ts';

/** On the other engines in every part of the log before a release: `test/long/engines.test.ts`. */
describeBadEvents(startTestService);
