import { afterAll } from 'vitest';
import { createEventStoreTestLog } from '../support/eventstore-log.ts';
import { startEventStore } from '../support/eventstore-server.ts';
import { describeEventLog, type EngineUnderTest } from './event-log.contract.ts';
import { describeKeyring } from './keyring.contract.ts';

const server = await startEventStore();
afterAll(() => server.stop());

const engine: EngineUnderTest = {
  name: `eventstoredb (${server.kind})`,
  // Intake is answered when the server has stored it; readers recognise a repeat later.
  capabilities: { reportsRepeatedIntake: false, commandsAcrossKeys: true, sharedByOsProcesses: true },
  create: () => createEventStoreTestLog(server),
};
describeEventLog(engine);
describeKeyring(engine);
