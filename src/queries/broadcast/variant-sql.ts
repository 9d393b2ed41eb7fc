import { BUCKETS } from '../../domain/broadcast/variant-of.ts';

/**
 * SQL of `bucketOf` (domain/broadcast/variant-of.ts), in two steps: the digest in a subquery with OFFSET 0, so that it is
 * computed once a row. By way of hexadecimal digits a million recipients took twice as long (1.9 s instead of 1).
 * @param broadcastId, chat SQL of bigints
 */
export function digestSql(broadcastId: string, chat: string): string {
  // Digits, a colon and a minus sign mean themselves in the text of a bytea.
  return `sha256((${broadcastId} || ':' || ${chat})::bytea)`;
}

/** The bucket of a digest. */
export function bucketSql(digest: string): string {
  const byte = (index: number) => `get_byte(${digest}, ${index})`;
  return `(((${byte(0)}::bigint << 24) + (${byte(1)} << 16) + (${byte(2)} << 8) + ${byte(3)}) % ${BUCKETS})::int`;
}
