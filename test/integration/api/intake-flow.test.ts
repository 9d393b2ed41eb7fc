import { startTestService } from '../../support/service.ts';
import { describeIntakeFlow } from './intake-flow.suite.ts';

describeIntakeFlow(() => startTestService());
