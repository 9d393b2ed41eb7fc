import { describe } from 'vitest';
import { startTestService } from '../../support/service.ts';
import { describeLateAttribution } from './late-attribution.suite.ts';

describe('late attribution, with the log on PostgreSQL', () => describeLateAttribution((env) => startTestService(env)));
