import { describe } from 'vitest';
import { startTestService } from '../../support/service.ts';
import { describeAttribution } from './attribution.suite.ts';

describe('attribution, with the log on PostgreSQL', () => describeAttribution(() => startTestService()));
