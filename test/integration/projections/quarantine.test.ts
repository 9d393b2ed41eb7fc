import { startTestService } from '../../support/service.ts';
import { describeQuarantine } from './quarantine.suite.ts';

describeQuarantine((models) => startTestService({}, undefined, undefined, models));
