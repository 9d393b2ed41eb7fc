import { startTestService } from '../../support/service.ts';
import { describeIdempotency } from './idempotency.suite.ts';

describeIdempotency(() => startTestService());
