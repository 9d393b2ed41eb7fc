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
    },
    address: 'KAFKA_BROKERS',
    log: 'KAFKA_TOPIC',
    servers: ({ KAFKA_BROKERS = [] }) => KAFKA_BROKERS.map((broker) => addressOf(broker, DEFAULT_PORT)),
  },
  async open({ KAFKA_BROKERS: brokers = [], KAFKA_TOPIC: topic, KAFKA_PARTITIONS: partitions }, options) {
    const { openKafkaLog } = await import('./kafka-log.ts');
    return openKafkaLog({ ...options, brokers, topic, partitions });
  },
});
