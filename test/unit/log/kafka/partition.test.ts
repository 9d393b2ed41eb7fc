import fc from 'fast-check';
import kafkajs from 'kafkajs';
import { expect, it } from 'vitest';
import { partitionOfKey } from '../../../../src/log/kafka/kafka-log.ts';

const partitioner = kafkajs.Partitioners.DefaultPartitioner();

it('puts a key where the default partitioner of Kafka clients puts it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 50 }), (key, partitions) => {
      const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
        partitionId,
        leader: 1,
        partitionErrorCode: 0,
        replicas: [1],
        isr: [1],
      }));
      const theirs = partitioner({ topic: 't', partitionMetadata, message: { key, value: '' } });
      expect(partitionOfKey(key, partitions)).toBe(theirs);
    }),
    { numRuns: 500 },
  );
});

it('never moves a key: the partition is part of the data that is stored', () => {
  // As org.apache.kafka.common.utils.Utils.murmur2 has it, in the tests of Kafka itself (UtilsTest.testMurmur2).
  const known = { '21': -973932308, foobar: -790332482, 'a-little-bit-long-string': -985981536 };
  for (const [key, hash] of Object.entries(known))
    expect(partitionOfKey(key, 2 ** 31 - 1)).toBe((hash & 0x7fffffff) % (2 ** 31 - 1));
});
