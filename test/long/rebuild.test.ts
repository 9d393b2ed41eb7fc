import { afterAll, describe } from 'vitest';
import { describeRebuild } from '../integration/rebuild.suite.ts';
import { startEventStore } from '../support/eventstore-server.ts';
import { startKafkaBroker } from '../support/kafka-broker.ts';
import { startTestService } from '../support/service.ts';

/** Every read model on every engine. */
const broker = await startKafkaBroker();
const eventStore = await startEventStore();
afterAll(async () => {
  await broker?.stop();
  await eventStore.stop();
});

describe('a rebuild on PostgreSQL', () => describeRebuild(() => startTestService()));
describe.skipIf(broker === null)('a rebuild on Kafka', () =>
  describeRebuild(() => startTestService({}, { kafka: broker!.brokers })),
);
describe(`a rebuild on EventStoreDB (${eventStore.kind})`, () =>
  describeRebuild(() => startTestService({}, { eventstore: eventStore.url })));
