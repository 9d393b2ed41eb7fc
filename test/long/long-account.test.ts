import { describe } from 'vitest';
import { describeLongAccount } from '../integration/referral/long-account.suite.ts';
import { startTestService } from '../support/service.ts';

describe('the books of a long account on PostgreSQL', () => describeLongAccount(() => startTestService()));
