/**
 * The partition of a key, by Kafka's own default partitioner (murmur2, seed 0x9747b28c), so that every client comes to the
 * same. It must never change: the records of a stream are in this partition.
 * Source: org.apache.kafka.common.utils.Utils.murmur2.
 */
export function partitionOfKey(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
}

const M = 0x5bd1e995;

function murmur2(data: Buffer): number {
  const whole = data.length & ~3;
  let h = 0x9747b28c ^ data.length;
  for (let i = 0; i < whole; i += 4) {
    let k = Math.imul(data.readInt32LE(i), M);
    k = Math.imul(k ^ (k >>> 24), M);
    h = Math.imul(h, M) ^ k;
  }
  const rest = data.length - whole;
  if (rest === 3) h ^= data[whole + 2]! << 16;
  if (rest >= 2) h ^= data[whole + 1]! << 8;
  if (rest >= 1) h = Math.imul(h ^ data[whole]!, M);
  h = Math.imul(h ^ (h >>> 13), M);
  return h ^ (h >>> 15);
}
