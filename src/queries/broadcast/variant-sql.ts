import { BUCKETS } from '../../domain/broadcast/variant-of.ts';

/** SQL of `bucketOf` (domain/broadcast/variant-of.ts). @param broadcastId, chat SQL of bigints */
export function bucketSql(broadcastId: string, chat: string): string {
  const digest = `encode(sha256(convert_to(${broadcastId}::text || ':' || ${chat}::text, 'UTF8')), 'hex')`;
  // A bit string of 32 bits as a bigint has no sign.
  return `(('x' || left(${digest}, 8))::bit(32)::bigint % ${BUCKETS})::int`;
}
