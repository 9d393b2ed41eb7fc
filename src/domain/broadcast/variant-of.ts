import { hash } from 'node:crypto';

/**
 * Which variant of a broadcast's message a recipient gets (decisions.md#variant-of-a-recipient). A function of only the
 * broadcast and the chat, so that an auditor can compute it again. `queries/broadcast/variant-sql.ts` has the same
 * function in SQL.
 */

/** Hexadecimal digits of the digest that are used. */
const DIGITS = 8;
/** A share is a whole percentage. */
export const BUCKETS = 100;

/** A number from 0 to 99. */
export function bucketOf(broadcastId: number, chatId: number): number {
  const digest = hash('sha256', `${broadcastId}:${chatId}`, 'hex');
  return Number.parseInt(digest.slice(0, DIGITS), 16) % BUCKETS;
}

/** The first bucket after the buckets of each variant. @param shares whole percentages whose sum is 100 */
export function bucketEnds(shares: readonly number[]): number[] {
  let end = 0;
  return shares.map((share) => (end += share));
}

/** The index of a recipient's variant. @param shares as of `bucketEnds` */
export function variantOf(shares: readonly number[], broadcastId: number, chatId: number): number {
  const bucket = bucketOf(broadcastId, chatId);
  return bucketEnds(shares).findIndex((end) => bucket < end);
}
