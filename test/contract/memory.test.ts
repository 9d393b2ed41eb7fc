import { createTestDatabase } from '../support/database.ts';
import { memoryLog } from '../support/memory-log.ts';
import { describeEventLog, type EngineUnderTest } from './event-log.contract.ts';
import { describeKeyring } from './keyring.contract.ts';

/** The log in memory that unit tests use. It keeps the promises of the port, so that those tests hold for every engine. */
const engine: EngineUnderTest = {
  name: 'memory',
  capabilities: {
    reportsRepeatedIntake: true,
    commandsAcrossKeys: true,
    // It is in the memory of one OS process.
    sharedByOsProcesses: false,
  },
  async create() {
    const log = memoryLog(3);
    const database = await createTestDatabase();
    return { open: async () => log.open(), env: { DATABASE_URL: database.url }, destroy: () => database.drop() };
  },
};

describeEventLog(engine);
describeKeyring(engine);
