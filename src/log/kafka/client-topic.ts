import kafkajs, { type Admin } from 'kafkajs';
import { pause } from '../../util/pause.ts';
import { LogUnfitError } from '../port.ts';

const { ConfigResourceTypes } = kafkajs;

/** The topic that is there cannot hold what it is meant to. */
export class TopicUnfitError extends LogUnfitError {
  override readonly name = 'TopicUnfitError';
}

/** The broker's limit of one batch of records, set on the topic; above the largest body that the API takes (16 MiB). */
export const MAX_BATCH_BYTES = 20 << 20;
const NEVER = '-1';
const DAY_MS = 24 * 60 * 60 * 1000;

type TopicConfig = Readonly<Record<string, string>>;

/** The broker's clock: records may carry any time of their own (a copied log, a test), and age is since the append. */
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
  // What a tombstone removes leaves the broker's disk within about a day, as soon as something follows it (KIP-354).
  'max.compaction.lag.ms': String(DAY_MS),
  // A reader that began before a removal must meet the tombstone: it may take this long from first record to last.
  'delete.retention.ms': String(7 * DAY_MS),
};
/** What must be as it was made, or records are lost. */
const CRUCIAL = ['cleanup.policy', 'retention.ms', 'retention.bytes'];

/** How long the brokers may take to hear of a new topic. */
const SPREAD_MS = 30_000;
const SPREAD_LOOK_MS = 100;
const NOT_YET = ['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE'];

export interface TopicOptions {
  readonly topic: string;
  readonly compacted: boolean;
  readonly partitions: number;
  readonly replicationFactor: number;
}

/** Creates the topic, or checks the one that is there. @throws TopicUnfitError */
export async function prepareTopic(admin: Admin, options: TopicOptions): Promise<void> {
  const { topic, compacted, partitions, replicationFactor } = options;
  const config = compacted ? COMPACTED : FOR_EVER;
  if (!(await admin.listTopics()).includes(topic)) {
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
    // Answers false, and throws nothing, when another instance was first.
    await admin.createTopics({
      topics: [{ topic, numPartitions: partitions, replicationFactor, configEntries }],
      waitForLeaders: false, // it takes a broker that has not heard of the topic yet for an error
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

/** How many partitions the topic has, once the brokers know it and each has a leader: a moment after it was created. */
async function countPartitions(admin: Admin, topic: string): Promise<number | undefined> {
  const deadline = performance.now() + SPREAD_MS;
  for (;;) {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
      return topics[0]?.partitions.length;
    } catch (error) {
      const { type } = error as { type?: unknown };
      if (typeof type !== 'string' || !NOT_YET.includes(type) || performance.now() > deadline) throw error;
    }
    await pause(SPREAD_LOOK_MS);
  }
}
