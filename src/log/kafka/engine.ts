import { z } from 'zod';
import { count } from '../../util/variables.ts';
import { addressOf, defineEngine } from '../engine.ts';

const DEFAULT_PORT = 9092;

/** The log on a Kafka topic. */
export const kafka = defineEngine({
  name: 'kafka',
  config: {
    variables: {
      KAFKA_BROKERS: z
        .string()
        .transform((text) => text.split(',').map((broker) => broker.trim()))
        .pipe(z.array(z.string().min(1)).min(1))
        .optional()
        .describe('host:port, comma-separated; needed with EVENT_LOG=kafka'),
      KAFKA_TOPIC: z.string().min(1).default('botledger').describe('The topic that is the log'),
      KAFKA_PARTITIONS: count(12, 1, 1000).describe(
        'Partitions of the topic when it is created, 1 to 1,000; fixed from then on',
      ),
      KAFKA_TLS: z.enum(['on', 'off']).default('off').describe('Whether the brokers speak TLS'),
      KAFKA_TLS_CA_FILE: z
        .string()
        .min(1)
        .optional()
        .describe('File with the certificate of the brokers’ authority, PEM; unset: the well-known authorities'),
      KAFKA_SASL: z
        .enum(['plain', 'scram-sha-256', 'scram-sha-512'])
        .optional()
        .describe('How the service logs in: plain, scram-sha-256 or scram-sha-512; unset: it does not'),
      KAFKA_USERNAME: z.string().default('').describe('The user, with KAFKA_SASL'),
      KAFKA_PASSWORD: z.string().default('').describe('The password, with KAFKA_SASL'),
    },
    address: 'KAFKA_BROKERS',
    log: 'KAFKA_TOPIC',
    servers: ({ KAFKA_BROKERS = [] }) => KAFKA_BROKERS.map((broker) => addressOf(broker, DEFAULT_PORT)),
  },
  async tables() {
    const { SCHEMA: schema, migrations } = await import('./migrations.ts');
    return { schema, migrations };
  },
  async open({ KAFKA_BROKERS: brokers = [], KAFKA_TOPIC: topic, KAFKA_PARTITIONS: partitions, ...given }, options) {
    const { KAFKA_SASL: mechanism, KAFKA_USERNAME: username, KAFKA_PASSWORD: password } = given;
    const sasl = mechanism === undefined ? undefined : { mechanism, username, password };
    const security = { tls: given.KAFKA_TLS === 'on', caFile: given.KAFKA_TLS_CA_FILE, sasl };
    const { openKafkaLog } = await import('./kafka-log.ts');
    return openKafkaLog({ ...options, brokers, security, topic, partitions });
  },
});
