import { afterAll, describe } from 'vitest';
import { describeDroppedDatabase } from '../integration/app/dropped-database.suite.ts';
import { describeSending } from '../integration/broadcast/sending.suite.ts';
import { describeErasure } from '../integration/intake/erasure.suite.ts';
import { describeBadEvents } from '../integration/projections/bad-events.suite.ts';
import { describeQuarantine } from '../integration/projections/quarantine.suite.ts';
import { describeRebuild } from '../integration/projections/rebuild.suite.ts';
import { describeKilledRebuild, describeLeftVersions } from '../integration/projections/rebuild-killed.suite.ts';
import { describeRebuildPart } from '../integration/projections/rebuild-part.suite.ts';
import { describeAccounts } from '../integration/referral/accounts-api.suite.ts';
import { describeAccruals } from '../integration/referral/accruals.suite.ts';
import { describeAttribution } from '../integration/referral/attribution.suite.ts';
import { describeLateAttribution } from '../integration/referral/late-attribution.suite.ts';
import { describeLedger } from '../integration/referral/ledger.suite.ts';
import { describeLongAccount } from '../integration/referral/long-account.suite.ts';
import { describeRefunds } from '../integration/referral/refunds.suite.ts';
import { startEventStore } from '../support/eventstore-server.ts';
import { startKafkaBroker } from '../support/kafka-broker.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { streamText } from '../support/stream-text.ts';
import { topicText } from '../support/topic-records.ts';

/** Every read model on every engine, and the suites that `npm test` runs on some engines only. */
const broker = await startKafkaBroker();
const eventStore = await startEventStore();
afterAll(async () => {
  await broker?.stop();
  await eventStore.stop();
});

const onKafka = (env = {}): Promise<TestService> => startTestService(env, broker!.env);
const onEventStore = (env = {}): Promise<TestService> => startTestService(env, eventStore.env);

describe('a rebuild on PostgreSQL', () => describeRebuild(() => startTestService()));
describe.skipIf(broker === null)('a rebuild on Kafka', () => describeRebuild(onKafka));
describe.skipIf(broker === null)('a dropped database on Kafka', () => describeDroppedDatabase(onKafka));
describe(`a rebuild on EventStoreDB (${eventStore.kind})`, () => describeRebuild(onEventStore));

describe.skipIf(broker === null)('a rebuild that is killed on Kafka', () => {
  describeKilledRebuild(onKafka);
  describeLeftVersions(onKafka);
});
describe(`a rebuild that is killed on EventStoreDB (${eventStore.kind})`, () => {
  describeKilledRebuild(onEventStore);
  describeLeftVersions(onEventStore);
});

describe('bad events on PostgreSQL', () => describeBadEvents((env) => startTestService(env)));
describe.skipIf(broker === null)('bad events on Kafka', () => describeBadEvents(onKafka));
describe(`bad events on EventStoreDB (${eventStore.kind})`, () => describeBadEvents(onEventStore));

describe.skipIf(broker === null)('a quarantine on Kafka', () =>
  describeQuarantine((models) => startTestService({}, broker!.env, undefined, models)),
);
describe(`a quarantine on EventStoreDB (${eventStore.kind})`, () =>
  describeQuarantine((models) => startTestService({}, eventStore.env, undefined, models)));

describe('a rebuild of a part on PostgreSQL', () => describeRebuildPart(() => startTestService()));
describe.skipIf(broker === null)('a rebuild of a part on Kafka', () => describeRebuildPart(onKafka));
describe(`a rebuild of a part on EventStoreDB (${eventStore.kind})`, () => describeRebuildPart(onEventStore));

describe.skipIf(broker === null)('accounts on Kafka', () => describeAccounts(onKafka));
describe.skipIf(broker === null)('accruals on Kafka', () => describeAccruals(onKafka));
describe.skipIf(broker === null)('a refund on Kafka', () => describeRefunds(onKafka));
describe.skipIf(broker === null)('the ledger on Kafka', () => describeLedger(onKafka));
describe.skipIf(broker === null)('the books of a long account on Kafka', () => describeLongAccount(onKafka));
describe.skipIf(broker === null)('attribution on Kafka', () => describeAttribution(onKafka));
describe.skipIf(broker === null)('late attribution on Kafka', () => describeLateAttribution(onKafka));
describe(`accounts on EventStoreDB (${eventStore.kind})`, () => describeAccounts(onEventStore));
describe(`accruals on EventStoreDB (${eventStore.kind})`, () => describeAccruals(onEventStore));
describe(`a refund on EventStoreDB (${eventStore.kind})`, () => describeRefunds(onEventStore));
describe(`the ledger on EventStoreDB (${eventStore.kind})`, () => describeLedger(onEventStore));
describe(`the books of a long account on EventStoreDB (${eventStore.kind})`, () => describeLongAccount(onEventStore));
describe(`attribution on EventStoreDB (${eventStore.kind})`, () => describeAttribution(onEventStore));
describe(`late attribution on EventStoreDB (${eventStore.kind})`, () => describeLateAttribution(onEventStore));
describe.skipIf(broker === null)('erasure on Kafka', () =>
  describeErasure({ start: onKafka, stored: ({ env }) => topicText(broker!.brokers, env['KAFKA_TOPIC']!) }),
);
describe(`erasure on EventStoreDB (${eventStore.kind})`, () =>
  describeErasure({
    start: onEventStore,
    stored: ({ env }) => streamText(eventStore.url, env['EVENTSTORE_STREAM']!),
  }));

describe.skipIf(broker === null)('broadcasts on Kafka', () => describeSending(onKafka));
describe(`broadcasts on EventStoreDB (${eventStore.kind})`, () => describeSending(onEventStore));
