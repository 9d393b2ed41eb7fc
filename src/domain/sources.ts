/** Where time, randomness and ids come from. Injected everywhere, so that a test can hold the clock and repeat the ids. */
export interface Sources {
  /** Now, in whole milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** A UUID of version 7 (RFC 9562): time-ordered, so that index insertions stay local. */
  uuid(): string;
  /** `size` bytes from a secure source. */
  randomBytes(size: number): Uint8Array;
}
