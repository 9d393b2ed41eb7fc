import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { inTime } from '../../util/in-time.ts';
import { type DataKey, type Keyring, LogUnavailableError } from '../port.ts';
import type { Progress } from '../validated/index-progress.ts';
import type { NewRecord } from '../validated/record-store.ts';
import type { KafkaClient, Tombstone } from './kafka-client.ts';
import {
  type IndexedKeys,
  KEYS_PARTITION,
  keysAfter,
  keysByIds,
  keysBySubjects,
  recordOfKey,
  tombstoneOf,
} from './key-index.ts';

export interface KafkaKeyringOptions {
  /** The client of the topic of keys. */
  readonly client: Pick<KafkaClient, 'send' | 'endOffsets'>;
  readonly pool: pg.Pool;
  /** The progress of the index of keys. */
  readonly progress: Progress;
  /** The end of the topic when the log was opened. An index below it is being rebuilt, and may still hold forgotten keys. */
  readonly target: number;
  /** The longest wait of a caller, in milliseconds. */
  readonly maxWaitMs: number;
  readonly onError: (error: unknown) => void;
}

const SECRET_BYTES = 32;
const PAGE = 5000;
/** The longest wait for the subjects' present keys before new ones are made. */
const LOOK_UP_MS = 500;
/** After a failed look-up, `keysFor` makes new keys for this long without another look-up. */
const LOOK_UP_AGAIN_MS = 1000;

/**
 * The keyring in a compacted topic, read through its index. A look-up waits until the index has reached the topic's end at
 * the time of the call. So a missing key was forgotten before the call, and a found key was not.
 */
export class KafkaKeyring implements Keyring {
  private lookUpAgainAt = 0;

  constructor(private readonly options: KafkaKeyringOptions) {}

  async keysFor(subjects: readonly string[]): Promise<ReadonlyMap<string, DataKey>> {
    const wanted = [...new Set(subjects)];
    if (wanted.length === 0) return new Map();
    const keys = await this.presentKeys(wanted);
    const made = wanted
      .filter((subject) => !keys.has(subject))
      .map((subject) => ({ id: randomUUID(), subject, secret: randomBytes(SECRET_BYTES) }));
    if (made.length > 0) await this.answered(() => this.send(made.map(recordOfKey)));
    for (const key of made) keys.set(key.subject, key);
    return keys;
  }

  async find(ids: readonly string[]): Promise<ReadonlyMap<string, DataKey>> {
    if (ids.length === 0) return new Map();
    const read = (): Promise<IndexedKeys> => keysByIds(this.options.pool, ids);
    const { keys } = await this.answered((deadline) => this.readUpToDate(deadline, read));
    return new Map(keys.map((key) => [key.id, key]));
  }

  async forget(subject: string): Promise<void> {
    const read = (): Promise<IndexedKeys> => keysBySubjects(this.options.pool, [subject]);
    await this.answered(async (deadline) => {
      const { keys } = await this.readUpToDate(deadline, read);
      if (keys.length === 0) return;
      const last = await this.send(keys.map(tombstoneOf));
      // Waits for the index, so that no caller seals with these keys from now on.
      await this.readAt(last + 1, deadline, read);
    });
  }

  async *all(): AsyncGenerator<DataKey> {
    const { pool } = this.options;
    await this.answered((deadline) => this.readUpToDate(deadline, () => keysByIds(pool, [])));
    let after = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const page = await this.answered(() => keysAfter(pool, after, PAGE));
      yield* page;
      if (page.length < PAGE) return;
      after = page[page.length - 1]!.id;
    }
  }

  async put(keys: readonly DataKey[]): Promise<void> {
    if (keys.length > 0) await this.answered(() => this.send(keys.map(recordOfKey)));
  }

  private async answered<T>(work: (deadline: number) => Promise<T>): Promise<T> {
    const { maxWaitMs } = this.options;
    try {
      return await inTime(work(performance.now() + maxWaitMs), maxWaitMs, silent);
    } catch (error) {
      if (error instanceof LogUnavailableError) throw error;
      throw new LogUnavailableError('failed to read or write the keyring', { cause: error });
    }
  }

  private async readUpToDate(deadline: number, read: () => Promise<IndexedKeys>): Promise<IndexedKeys> {
    return this.readAt((await this.options.client.endOffsets())[KEYS_PARTITION]!, deadline, read);
  }

  /** Reads the index once it has reached `end`. */
  private async readAt(end: number, deadline: number, read: () => Promise<IndexedKeys>): Promise<IndexedKeys> {
    const { progress } = this.options;
    for (;;) {
      if (end > 0) await progress.passed(KEYS_PARTITION, end - 1, deadline);
      const found = await read();
      if (found.next >= end) return found;
      // `progress` was ahead of the database, or the deadline has passed.
      if (performance.now() >= deadline) throw silent();
      progress.publish([found.next]);
    }
  }

  private async send(records: readonly (NewRecord | Tombstone)[]): Promise<number> {
    const offsets: number[] = [];
    for (let start = 0; start < records.length; start += PAGE)
      offsets.push(...(await this.options.client.send(records.slice(start, start + PAGE))));
    return offsets.at(-1)!;
  }

  /**
   * Finds each subject's present key; of several keys, the first by id. If the database does not answer, finds none.
   * Then the subject gets one more key, so that intake continues for a while (decisions.md#database-down).
   */
  private async presentKeys(subjects: readonly string[]): Promise<Map<string, DataKey>> {
    const { pool, target, onError } = this.options;
    const keys = new Map<string, DataKey>();
    if (performance.now() < this.lookUpAgainAt) return keys;
    try {
      const found = await inTime(keysBySubjects(pool, subjects), LOOK_UP_MS, silent);
      if (found.next >= target) for (const key of [...found.keys].reverse()) keys.set(key.subject, key);
    } catch (error) {
      this.lookUpAgainAt = performance.now() + LOOK_UP_AGAIN_MS;
      onError(error);
    }
    return keys;
  }
}

const silent = (): Error => new LogUnavailableError('the keyring did not answer in time');
