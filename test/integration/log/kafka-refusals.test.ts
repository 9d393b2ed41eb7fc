import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { ANY_CATEGORIES } from '../../../src/domain/streams.ts';
import { openKafkaLog } from '../../../src/log/kafka/kafka-log.ts';
import { type KafkaSecurity, NO_SECURITY } from '../../../src/log/kafka/security.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type KafkaBroker, startWithJava } from '../../support/kafka-broker.ts';
import { TLS_CERTIFICATE_FILE, tlsFixture } from '../../support/tls-fixture.ts';

/** A broker that refuses is not reported as one that does not answer: the error says why, and which variable to set. */

let broker: KafkaBroker | undefined;
let database: TestDatabase;
let folder: string;

const USERS =
  'org.apache.kafka.common.security.plain.PlainLoginModule required username="admin" password="a" user_admin="a" user_guest="g";';

beforeAll(async () => {
  database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
  folder = await mkdtemp(join(tmpdir(), 'kafka-refusals-'));
  const keystore = join(folder, 'keystore.pem');
  await writeFile(keystore, Buffer.concat([tlsFixture.key, tlsFixture.cert]));
  // A broker with TLS and users. Only `admin` has rights.
  broker = await startWithJava({
    'listener.security.protocol.map': 'PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'PLAINTEXT',
    'sasl.enabled.mechanisms': 'PLAIN',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'listener.name.plaintext.plain.sasl.jaas.config': USERS,
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keystore,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': join(process.cwd(), TLS_CERTIFICATE_FILE),
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': 'User:admin;User:ANONYMOUS',
  }).catch((error: unknown) => {
    console.warn(`SKIPPED: no own Kafka broker to test against (${(error as Error).message.split('\n')[0]})`);
    return undefined;
  });
});
afterAll(async () => {
  await broker?.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function open(security: KafkaSecurity): Promise<void> {
  const log = await openKafkaLog({
    brokers: broker!.brokers,
    security,
    topic: 'refusals',
    partitions: 1,
    replicationFactor: 1,
    connectionString: database.url,
    holder: randomUUID(),
    logger: pino({ level: 'silent' }),
    anyCategories: ANY_CATEGORIES,
  });
  await log.close();
}

const tls = { tls: true, caFile: TLS_CERTIFICATE_FILE };
const login = (username: string, password: string) => ({ mechanism: 'plain' as const, username, password });

it.each<[string, KafkaSecurity, RegExp]>([
  ['no TLS', NO_SECURITY, /speaks only TLS: set KAFKA_TLS=on$/],
  ['an unknown authority', { ...tls, caFile: undefined, sasl: undefined }, /is not trusted \(.*KAFKA_TLS_CA_FILE/],
  ['no user', { ...tls, sasl: undefined }, /closes each connection.*KAFKA_SASL/],
  ['a wrong password', { ...tls, sasl: login('admin', 'no') }, /refuses the log-in .*KAFKA_PASSWORD/],
  [
    'another mechanism',
    { ...tls, sasl: { ...login('admin', 'a'), mechanism: 'scram-sha-256' } },
    /refuses the log-in .*KAFKA_SASL/,
  ],
  [
    'a user without rights',
    { ...tls, sasl: login('guest', 'g') },
    /refuses a right \(\w+_AUTHORIZATION_FAILED\).*refusals-keys/,
  ],
])('Kafka with %s says what to set', async (_, security, expected) => {
  if (broker === undefined) return expect(inject('databaseUrl')).toBeDefined();
  await expect(open(security)).rejects.toThrow(expected);
});

it('Kafka with TLS, a user and rights opens', async () => {
  if (broker !== undefined) await open({ ...tls, sasl: login('admin', 'a') });
});
