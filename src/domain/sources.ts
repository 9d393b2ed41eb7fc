/** The sources of time, randomness and ids. Injected everywhere, so that a test controls the clock and the ids. */
export interface Sources {
  /** The present time in whole milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** A UUID of version 7 (RFC 9562): time-ordered, so that index insertions stay local. */
  uuid(): string;
  /** `size` bytes from a secure source. */
  randomBytes(size: number): Uint8Array;
}
