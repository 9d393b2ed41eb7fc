import { startTestService } from '../../support/service.ts';
import { describeLedger } from './ledger.suite.ts';

describeLedger(startTestService);
