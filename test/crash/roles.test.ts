import { afterAll, test } from 'vitest';
import { startKafkaBroker } from '../support/kafka-broker.ts';
import { crashRoles } from './roles.ts';

const broker = await startKafkaBroker();
afterAll(() => broker?.stop());

test.skipIf(broker?.process == null)(
  'kill -9 of the broker and of a projector, the log on Kafka, 2 rounds',
  () => crashRoles(broker, ['broker', 'projector']),
  180_000,
);
