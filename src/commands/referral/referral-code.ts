import { customRandom } from 'nanoid';
import type { Sources } from '../../domain/sources.ts';

/** Digits and letters without those that look like others: 0 and O, 1, l and I. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const LENGTH = 8;

/**
 * A code, each of the 57^8 as likely as any other: a random byte that names no letter is thrown away, where a remainder
 * would prefer the first 28 letters (256 mod 57).
 */
export function newReferralCode(sources: Pick<Sources, 'randomBytes'>): string {
  return customRandom(ALPHABET, LENGTH, (size) => sources.randomBytes(size))();
}
