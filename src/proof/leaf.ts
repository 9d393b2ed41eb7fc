/** The bytes of a leaf. */
export const LEAF_BYTES = 72;

/** The key of commits of all other streams. */
export const NO_KEY: Uint8Array = new Uint8Array(32);

/**
 * The entry of a commit in the tree of its partition: the account's key, the revision (0: the stream has none) and the
 * SHA-256 of the stored bytes. Entries are public, so a leaf says no more than that.
 */
export function leafOf(key: Uint8Array, revision: number, digest: Uint8Array): Buffer {
  const leaf = Buffer.alloc(LEAF_BYTES);
  leaf.set(key, 0);
  leaf.writeBigUInt64BE(BigInt(revision), 32);
  leaf.set(digest, 40);
  return leaf;
}
