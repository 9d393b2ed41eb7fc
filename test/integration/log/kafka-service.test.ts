import { afterAll, describe } from 'vitest';
import { startKafkaBroker } from '../../support/kafka-broker.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { describeIdempotency } from '../api/idempotency.suite.ts';
import { describeIntakeFlow } from '../api/intake-flow.suite.ts';
import { describeDoctor } from '../app/doctor.suite.ts';

/** The whole service with the log on Kafka. `test/long/engines.test.ts` has the other suites. */
const broker = await startKafkaBroker();
afterAll(() => broker?.stop());

describe.skipIf(broker === null)('the service on Kafka', () => {
  const start = (env = {}): Promise<TestService> => startTestService(env, broker!.env);

  describe('intake', () => describeIntakeFlow(start));
  describe('Idempotency-Key', () => describeIdempotency(start));
  describe('doctor', () => describeDoctor(start, { KAFKA_BROKERS: '127.0.0.1:1' }));
});
