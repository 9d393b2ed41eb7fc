import { describe } from 'vitest';
import { startCitus } from '../../support/citus-server.ts';
import { onServerOf } from '../../support/database.ts';
import { startTestService } from '../../support/service.ts';
import { describeRebuild } from '../projections/rebuild.suite.ts';
import { describeAttribution } from '../referral/attribution.suite.ts';
import { describeLedger } from '../referral/ledger.suite.ts';

/** The whole service with its read models on a Citus cluster. `npm run test:citus` runs more tests there. */
const cluster = await startCitus();

describe.skipIf(cluster === null)('on a Citus cluster', () => {
  onServerOf(cluster);

  describe('a rebuild', () =>
    describeRebuild(() => startTestService(), { unchanged: ['events', 'accounts'], changes: [['users']] }));
  describe('attribution', () => describeAttribution(() => startTestService()));
  describe('the ledger', () => describeLedger(startTestService));
});
