import { afterAll, describe, test } from 'vitest';
import { crashInstances } from '../crash/instances.ts';
import { startKafkaBroker } from '../support/kafka-broker.ts';

const broker = await startKafkaBroker();
afterAll(() => broker?.stop());

const ROUNDS = Number(process.env['ROUNDS'] ?? 20);

describe.skipIf(broker === null)('two instances of each role on Kafka', () => {
  test('lose and double nothing when one is killed with -9 every 5 s, 20 rounds', () =>
    crashInstances(broker!, ROUNDS));
});
