import { randomUUID } from 'node:crypto';
import { afterAll, describe } from 'vitest';
import { startKafkaBroker } from '../support/kafka-broker.ts';
import { createKafkaTestLog } from '../support/kafka-log.ts';
import { describeEventLog, type EngineUnderTest } from './event-log.contract.ts';
import { describeKeyring } from './keyring.contract.ts';

const broker = await startKafkaBroker();
afterAll(() => broker?.stop());

describe.skipIf(broker === null)('with a broker', () => {
  const engine: EngineUnderTest = {
    name: 'kafka',
    capabilities: {
      // Intake is answered at the broker's acknowledgement; readers recognise a repeat later.
      reportsRepeatedIntake: false,
      // Bots on different partitions have no common order, so no command is the first.
      commandsAcrossKeys: false,
      sharedByOsProcesses: true,
    },
    create: () => createKafkaTestLog(broker!, `contract.${randomUUID()}`),
  };
  describeEventLog(engine);
  describeKeyring(engine);
});
