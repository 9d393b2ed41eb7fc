import { describe } from 'vitest';
import { startTestService } from '../../support/service.ts';
import { describeAccounts } from './accounts-api.suite.ts';

describe('accounts', () => describeAccounts(() => startTestService()));
