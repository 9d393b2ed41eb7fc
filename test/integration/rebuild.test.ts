import { describe } from 'vitest';
import { startTestService } from '../support/service.ts';
import { describeRebuild } from './rebuild.suite.ts';

describe('a rebuild', () => describeRebuild(() => startTestService()));
