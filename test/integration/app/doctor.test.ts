import { describe } from 'vitest';
import { startTestService } from '../../support/service.ts';
import { describeDoctor } from './doctor.suite.ts';

describe('with a service and its log in PostgreSQL', () => describeDoctor(() => startTestService(), {}));
