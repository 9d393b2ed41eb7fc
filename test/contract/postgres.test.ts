import { openPostgresLog } from '../../src/log/postgres/postgres-log.ts';
import { createTestDatabase } from '../support/database.ts';
import { ANY_CATEGORIES } from '../support/log.ts';
import { describeEventLog, type EngineUnderTest } from './event-log.contract.ts';
import { describeKeyring } from './keyring.contract.ts';

const engine: EngineUnderTest = {
  name: 'postgres',
  capabilities: { reportsRepeatedIntake: true, commandsAcrossKeys: true, sharedByOsProcesses: true },
  async create() {
    const database = await createTestDatabase();
    return {
      open: () => openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES }),
      env: { DATABASE_URL: database.url },
      destroy: () => database.drop(),
    };
  },
};

describeEventLog(engine);
describeKeyring(engine);
