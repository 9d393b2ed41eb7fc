import { randomUUID } from 'node:crypto';
import { afterAll, describe } from 'vitest';
import { ANY_CATEGORIES } from '../../../src/domain/streams.ts';
import { createEventStoreTestLog } from '../../support/eventstore-log.ts';
import { startEventStore } from '../../support/eventstore-server.ts';
import { startKafkaBroker } from '../../support/kafka-broker.ts';
import { createKafkaTestLog } from '../../support/kafka-log.ts';
import { describeFollower } from './follower.suite.ts';

const broker = await startKafkaBroker();
const eventStore = await startEventStore();
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await broker?.stop();
  await eventStore.stop();
});

describe.skipIf(broker === null)('on Kafka with 12 partitions', () => {
  describeFollower(async () => {
    const { database, open, destroy } = await createKafkaTestLog(broker!, `proof.${randomUUID()}`);
    closing.push(destroy);
    const log = await open({ anyCategories: ANY_CATEGORIES, partitions: 12 });
    closing.push(() => log.close());
    return { database, log };
  });
});

describe(`on EventStoreDB (${eventStore.kind})`, () => {
  describeFollower(async () => {
    const { database, open, destroy } = await createEventStoreTestLog(eventStore);
    closing.push(destroy);
    const log = await open({ anyCategories: ANY_CATEGORIES });
    closing.push(() => log.close());
    return { database, log };
  });
});
