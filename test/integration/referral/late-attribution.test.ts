import { describe } from 'vitest';
import { onOwnServer } from '../../support/database.ts';
import { startTestService } from '../../support/service.ts';
import { describeLateAttribution } from './late-attribution.suite.ts';

onOwnServer();

describe('late attribution, with the log on PostgreSQL', () => describeLateAttribution((env) => startTestService(env)));
