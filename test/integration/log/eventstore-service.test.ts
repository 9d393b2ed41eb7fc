import { afterAll, describe } from 'vitest';
import { startEventStore } from '../../support/eventstore-server.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { describeIdempotency } from '../api/idempotency.suite.ts';
import { describeIntakeFlow } from '../api/intake-flow.suite.ts';
import { describeDoctor } from '../app/doctor.suite.ts';
import { describeDroppedDatabase } from '../app/dropped-database.suite.ts';

/** The whole service with the log on EventStoreDB. `test/long/engines.test.ts` has the other suites. */
const server = await startEventStore();
afterAll(() => server.stop());

describe(`the service on EventStoreDB (${server.kind})`, () => {
  const start = (env = {}): Promise<TestService> => startTestService(env, server.env);

  describe('intake', () => describeIntakeFlow(start));
  describe('Idempotency-Key', () => describeIdempotency(start));
  describeDroppedDatabase(start);
  describe('doctor', () => describeDoctor(start, { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' }));
});
