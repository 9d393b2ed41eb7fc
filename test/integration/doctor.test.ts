import { describe } from 'vitest';
import { startTestService } from '../support/service.ts';
import { describeDoctor } from './doctor.suite.ts';

describe('beside a service with its log in PostgreSQL', () => describeDoctor(() => startTestService(), {}));
