import { afterAll, describe } from 'vitest';
import { startEventStore } from '../support/eventstore-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { describeIdempotency } from './api/idempotency.suite.ts';
import { describeIntakeFlow } from './api/intake-flow.suite.ts';
import { describeDroppedDatabase } from './dropped-database.suite.ts';
import { describeKilledRebuild } from './rebuild-killed.suite.ts';
import { describeLedger } from './referral/ledger.suite.ts';

/** The whole service with the log on EventStoreDB; what is tried on Kafka: `test/long/engines.test.ts`. */
const server = await startEventStore();
afterAll(() => server.stop());

describe(`the service on EventStoreDB (${server.kind})`, () => {
  const start = (env = {}): Promise<TestService> => startTestService(env, { eventstore: server.url });

  describe('intake', () => describeIntakeFlow(start));
  describe('Idempotency-Key', () => describeIdempotency(start));
  describeDroppedDatabase(start);
  describe('a rebuild', () => describeKilledRebuild(start, 31_000));
  describeLedger(start);
});
