import { afterEach, beforeEach, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { crashBroadcasts } from './broadcasts.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

/** `npm run test:long` has more rounds. */
test(
  'kill -9 of a sender at a random moment',
  () => crashBroadcasts({ databaseUrl: database.url, kills: 1, senders: 1 }),
  180_000,
);
