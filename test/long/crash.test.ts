import { afterAll, describe, test } from 'vitest';
import { crashEmbedded } from '../crash/embedded.ts';
import { crashRoles } from '../crash/roles.ts';
import { drawn } from '../crash/rounds.ts';
import { startKafkaBroker } from '../support/kafka-broker.ts';

const broker = await startKafkaBroker();
afterAll(() => broker?.stop());

/** 36 rounds, or 21 without a broker. */
describe('kill -9 at random moments', () => {
  test('of the service, of PostgreSQL and of both, 9 rounds', () => crashEmbedded(9));

  test('of an api, a projector and PostgreSQL, 12 rounds', () =>
    crashRoles(null, drawn(['api', 'projector', 'postgres'], 12)));

  test.skipIf(broker?.process == null)('of an api, a projector, PostgreSQL and the broker, 15 rounds', () =>
    crashRoles(broker, drawn(['api', 'projector', 'postgres', 'broker'], 15)),
  );
});
