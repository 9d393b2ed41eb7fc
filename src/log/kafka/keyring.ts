import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { inTime } from '../../util/in-time.ts';
import { type DataKey, type Keyring, LogUnavailableError } from '../port.ts';
import type { Progress } from '../validated/progress.ts';
import type { NewRecord } from '../validated/record-store.ts';
import type { KafkaClient, Tombstone } from './client.ts';
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
  /** Of the topic of keys. */
  readonly client: Pick<KafkaClient, 'send' | 'endOffsets'>;
  readonly pool: pg.Pool;
  /** Of the index of keys. */
  readonly progress: Progress;
  /** Where the topic ended when the log was opened: below, the index is being made anew, and holds what was forgotten. */
  readonly target: number;
  /** No caller waits longer for an answer, in milliseconds. */
  readonly maxWaitMs: number;
  readonly onError: (error: unknown) => void;
}

const SECRET_BYTES = 32;
const PAGE = 5000;
/** How long making keys waits to learn of those that there are, and for how long it then does not ask again. */
const PATIENCE_MS = 500;
const ASK_AGAIN_MS = 1000;

/**
 * The keyring in a compacted topic, read by way of its index. Keys are looked for only once the index is where the topic
 * ended when they were asked for: what is missing then was forgotten, and what is there was not.
 */
export function kafkaKeyring(options: KafkaKeyringOptions): Keyring {
  const { client, pool, progress, target, maxWaitMs, onError } = options;
  let askAgainAt = 0;

  async function answered<T>(work: (deadline: number) => Promise<T>): Promise<T> {
    try {
      return await inTime(work(performance.now() + maxWaitMs), maxWaitMs, silent);
    } catch (error) {
      if (error instanceof LogUnavailableError) throw error;
      throw new LogUnavailableError('the keyring cannot be asked', { cause: error });
    }
  }

  /** What `look` finds in an index that has reached `end`. */
  async function reaching(end: number, deadline: number, look: () => Promise<IndexedKeys>): Promise<IndexedKeys> {
    for (;;) {
      if (end > 0) await progress.passed(KEYS_PARTITION, end - 1, deadline);
      const found = await look();
      if (found.next >= end) return found;
      // The hint was ahead of the database, or nothing came in time.
      if (performance.now() >= deadline) throw silent();
      progress.publish([found.next]);
    }
  }

  async function upToDate(deadline: number, look: () => Promise<IndexedKeys>): Promise<IndexedKeys> {
    return reaching((await client.endOffsets())[KEYS_PARTITION]!, deadline, look);
  }

  async function send(records: readonly (NewRecord | Tombstone)[]): Promise<number> {
    const offsets: number[] = [];
    for (let start = 0; start < records.length; start += PAGE)
      offsets.push(...(await client.send(records.slice(start, start + PAGE))));
    return offsets.at(-1)!;
  }

  /**
   * The first by id of those that a subject has. A subject may have several keys, so without the database
   * (decisions.md#database-down: intake continues for a while) it gets another.
   */
  async function present(subjects: readonly string[]): Promise<Map<string, DataKey>> {
    const keys = new Map<string, DataKey>();
    if (performance.now() < askAgainAt) return keys;
    try {
      const found = await inTime(keysBySubjects(pool, subjects), PATIENCE_MS, silent);
      if (found.next >= target) for (const key of [...found.keys].reverse()) keys.set(key.subject, key);
    } catch (error) {
      askAgainAt = performance.now() + ASK_AGAIN_MS;
      onError(error);
    }
    return keys;
  }

  return {
    async keysFor(subjects) {
      const wanted = [...new Set(subjects)];
      if (wanted.length === 0) return new Map();
      const keys = await present(wanted);
      const made = wanted
        .filter((subject) => !keys.has(subject))
        .map((subject) => ({ id: randomUUID(), subject, secret: randomBytes(SECRET_BYTES) }));
      if (made.length > 0) await answered(() => send(made.map(recordOfKey)));
      for (const key of made) keys.set(key.subject, key);
      return keys;
    },

    async find(ids) {
      if (ids.length === 0) return new Map();
      const { keys } = await answered((deadline) => upToDate(deadline, () => keysByIds(pool, ids)));
      return new Map(keys.map((key) => [key.id, key]));
    },

    async forget(subject) {
      await answered(async (deadline) => {
        const look = (): Promise<IndexedKeys> => keysBySubjects(pool, [subject]);
        const { keys } = await upToDate(deadline, look);
        if (keys.length === 0) return;
        const last = await send(keys.map(tombstoneOf));
        // So that no caller gets them any more to seal with.
        await reaching(last + 1, deadline, look);
      });
    },

    async *all() {
      await answered((deadline) => upToDate(deadline, () => keysByIds(pool, [])));
      let after = '00000000-0000-0000-0000-000000000000';
      for (;;) {
        const page = await answered(() => keysAfter(pool, after, PAGE));
        yield* page;
        if (page.length < PAGE) return;
        after = page[page.length - 1]!.id;
      }
    },

    async put(keys) {
      if (keys.length > 0) await answered(() => send(keys.map(recordOfKey)));
    },
  };
}

const silent = (): Error => new LogUnavailableError('the keyring did not answer in time');
