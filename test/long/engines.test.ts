import { afterAll, describe } from 'vitest';
import { describeRebuild } from '../integration/rebuild.suite.ts';
import { describeAccounts } from '../integration/referral/accounts-api.suite.ts';
import { describeAccruals } from '../integration/referral/accruals.suite.ts';
import { startEventStore } from '../support/eventstore-server.ts';
import { startKafkaBroker } from '../support/kafka-broker.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Every read model on every engine, and what `npm test` tries on some engines only. */
const broker = await startKafkaBroker();
const eventStore = await startEventStore();
afterAll(async () => {
  await broker?.stop();
  await eventStore.stop();
});

const onKafka = (): Promise<TestService> => startTestService({}, { kafka: broker!.brokers });
const onEventStore = (): Promise<TestService> => startTestService({}, { eventstore: eventStore.url });

describe('a rebuild on PostgreSQL', () => describeRebuild(() => startTestService()));
describe.skipIf(broker === null)('a rebuild on Kafka', () => describeRebuild(onKafka));
describe(`a rebuild on EventStoreDB (${eventStore.kind})`, () => describeRebuild(onEventStore));

describe.skipIf(broker === null)('accruals on Kafka', () => describeAccruals(onKafka));
describe(`accounts on EventStoreDB (${eventStore.kind})`, () => describeAccounts(onEventStore));
describe(`accruals on EventStoreDB (${eventStore.kind})`, () => describeAccruals(onEventStore));
