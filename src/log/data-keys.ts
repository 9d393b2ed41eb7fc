/** A key that personal data of one subject is sealed with. */
export interface DataKey {
  /** UUID. Sealed data names its key by it. */
  readonly id: string;
  /** The user whose data it seals: `<bot's public key>/<user id>`. */
  readonly subject: string;
  /** 32 random bytes. */
  readonly secret: Buffer;
}

/**
 * The keys that personal data in the log is sealed with. The log's engine keeps them next to the log. Forgetting a
 * subject's keys erases the subject's data from every commit; the commits and their hash chains stay as they are.
 */
export interface Keyring {
  /**
   * Returns a key of each subject, and makes one for a subject without. A new key is as durable as every later append.
   * Concurrent callers, and callers that do not see a new key yet, may make several keys for a subject: `find` and `forget`
   * cover all of them.
   * @throws LogUnavailableError
   */
  keysFor(subjects: readonly string[]): Promise<ReadonlyMap<string, DataKey>>;
  /**
   * Finds keys by their ids. A missing key was forgotten: the keyring has every other key that a commit in the log names.
   * @throws LogUnavailableError
   */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, DataKey>>;
  /**
   * Forgets all keys of the subject, durably: no `find` that begins after this has resolved returns any of them.
   * @throws LogUnavailableError some keys may be forgotten and others not; the caller may repeat it
   */
  forget(subject: string): Promise<void>;
  /** Reads every key, for a copy of the log. */
  all(): AsyncIterable<DataKey>;
  /** Stores keys of another log's keyring. */
  put(keys: readonly DataKey[]): Promise<void>;
}
