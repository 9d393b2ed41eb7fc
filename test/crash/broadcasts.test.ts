import { afterAll, beforeAll, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { crashBroadcasts } from './broadcasts.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test(
  'kill -9 of a sender at random moments, 3 rounds',
  () => crashBroadcasts({ databaseUrl: database.url, kills: 3, senders: 1 }),
  180_000,
);
