import { afterAll, describe } from 'vitest';
import { ANY_CATEGORIES } from '../../../src/domain/streams.ts';
import { openPostgresLog } from '../../../src/log/postgres/postgres-log.ts';
import { createTestDatabase } from '../../support/database.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { describeFollower, type LogUnderProof } from './follower.suite.ts';

const opened: LogUnderProof[] = [];
afterAll(async () => {
  for (const { log, database } of opened) {
    await log.close();
    await database.drop();
  }
});

describe('on PostgreSQL', () => {
  describeFollower(async () => {
    const database = await createTestDatabase();
    const log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
    opened.push({ database, log });
    return { database, log };
  });
});

describe('on a log of 12 partitions', () => {
  describeFollower(async () => {
    const database = await createTestDatabase();
    const log = memoryLog(12);
    opened.push({ database, log });
    return { database, log };
  });
});
