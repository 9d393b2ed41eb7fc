import { startTestService } from '../../support/service.ts';
import { describeBadEvents } from './bad-events.suite.ts';

/** In each mode, in every part of the log and on all engines, before a release: `test/long/engines.test.ts`. */
describeBadEvents(startTestService, {
  categories: ['owner', 'bot', 'intake', 'account'],
  modes: [['quarantine', 'quarantine']],
});
