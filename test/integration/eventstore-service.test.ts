import { afterAll, describe } from 'vitest';
import { openEventStoreClient } from '../../src/log/eventstore/client.ts';
import { startEventStore } from '../support/eventstore-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { describeIdempotency } from './api/idempotency.suite.ts';
import { describeIntakeFlow } from './api/intake-flow.suite.ts';
import { describeDroppedDatabase } from './dropped-database.suite.ts';
import { describeErasure } from './erasure.suite.ts';
import { describeAttribution } from './referral/attribution.suite.ts';
import { describeLedger } from './referral/ledger.suite.ts';

/** The whole service with the log on EventStoreDB. */
const server = await startEventStore();
afterAll(() => server.stop());

describe(`the service on EventStoreDB (${server.kind})`, () => {
  const start = (): Promise<TestService> => startTestService({}, { eventstore: server.url });

  describe('intake', () => describeIntakeFlow(start));
  describe('Idempotency-Key', () => describeIdempotency(start));
  describeDroppedDatabase(start);
  describe('attribution', () => describeAttribution(start));
  describeLedger(start);
  describeErasure({ start, stored: ({ env }) => storedText(env['EVENTSTORE_STREAM']!) });
});

/** All that the stream has, as text. */
async function storedText(stream: string): Promise<string> {
  const client = openEventStoreClient(server.url);
  try {
    const events = await client.read(stream, 0, Number.MAX_SAFE_INTEGER);
    return events.map(({ data }) => Buffer.from(data as Uint8Array).toString()).join('\n');
  } finally {
    await client.close();
  }
}
