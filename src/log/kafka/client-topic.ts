import kafkajs, { type Admin } from 'kafkajs';
import { pause } from '../../util/pause.ts';
import { LogUnfitError } from '../port.ts';

const { ConfigResourceTypes } = kafkajs;

/** The existing topic cannot hold the log, or the keys. */
class TopicUnfitError extends LogUnfitError {
  override readonly name = 'TopicUnfitError';
}

/** The largest batch of records, set on the topic. It is above the largest body that the API accepts (16 MiB). */
export const MAX_BATCH_BYTES = 20 << 20;
const NEVER = '-1';
const DAY_MS = 24 * 60 * 60 * 1000;

type TopicConfig = Readonly<Record<string, string>>;

/**
 * Of all topics. Records get their time from the broker, since the age of a record counts from its append. A writer could
 * give any time (a copied log, a test).
 */
const COMMON: TopicConfig = {
  'max.message.bytes': String(MAX_BATCH_BYTES),
  'message.timestamp.type': 'LogAppendTime',
};
const FOR_EVER: TopicConfig = {
  ...COMMON,
  'cleanup.policy': 'delete',
  'retention.ms': NEVER,
  'retention.bytes': NEVER,
};
const COMPACTED: TopicConfig = {
  ...COMMON,
  'cleanup.policy': 'compact',
  // Removed records leave the broker's disk about a day after the tombstone, once another record follows it (KIP-354).
  'max.compaction.lag.ms': String(DAY_MS),
  // A reader that began before a removal must meet the tombstone. It may take this long from the first record to the last.
  'delete.retention.ms': String(7 * DAY_MS),
};
/** Settings that must be as Botledger creates them. Otherwise the topic loses records. */
const CRUCIAL = ['cleanup.policy', 'retention.ms', 'retention.bytes'];

/** How long the brokers may take to know a new topic. */
const KNOWN_WITHIN_MS = 30_000;
const POLL_MS = 100;
const NOT_YET = ['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE'];

export interface TopicOptions {
  readonly topic: string;
  readonly compacted: boolean;
  readonly partitions: number;
  readonly replicationFactor: number;
}

/**
 * Creates the topic, or checks the existing one.
 * @throws TopicUnfitError
 */
export async function prepareTopic(admin: Admin, options: TopicOptions): Promise<void> {
  const { topic, compacted, partitions, replicationFactor } = options;
  const config = compacted ? COMPACTED : FOR_EVER;
  if (!(await admin.listTopics()).includes(topic)) {
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
    // If another instance was first, kafkajs returns false and throws nothing.
    await admin.createTopics({
      topics: [{ topic, numPartitions: partitions, replicationFactor, configEntries }],
      waitForLeaders: false, // with `true`, kafkajs throws if a broker does not know the topic yet
    });
  }
  const problems: string[] = [];
  const found = await countPartitions(admin, topic);
  if (found !== partitions) problems.push(`has ${found} partitions, not ${partitions}`);
  const described = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configNames: Object.keys(config) }],
  });
  const actual = new Map(described.resources[0]?.configEntries.map((entry) => [entry.configName, entry.configValue]));
  for (const name of CRUCIAL)
    if (name in config && actual.get(name) !== config[name])
      problems.push(`${name} is ${actual.get(name)}, not ${config[name]}`);
  if (Number(actual.get('max.message.bytes')) < MAX_BATCH_BYTES)
    problems.push(`max.message.bytes is below ${MAX_BATCH_BYTES}`);
  if (problems.length > 0) throw new TopicUnfitError(`topic ${topic} cannot hold the log: it ${problems.join('; ')}`);
}

/** Counts the topic's partitions. After its creation it waits until the brokers know the topic and each partition has a leader. */
async function countPartitions(admin: Admin, topic: string): Promise<number | undefined> {
  const deadline = performance.now() + KNOWN_WITHIN_MS;
  for (;;) {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
      return topics[0]?.partitions.length;
    } catch (error) {
      const { type } = error as { type?: unknown };
      if (typeof type !== 'string' || !NOT_YET.includes(type) || performance.now() > deadline) throw error;
    }
    await pause(POLL_MS);
  }
}
