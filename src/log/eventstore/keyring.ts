import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { inTime } from '../../util/in-time.ts';
import { type DataKey, type Keyring, LogUnavailableError } from '../port.ts';
import type { EventStoreClient } from './client.ts';

export interface EventStoreKeyringOptions {
  readonly client: Pick<EventStoreClient, 'append' | 'last' | 'read' | 'readByPrefix' | 'tombstone'>;
  /** The log's stream. The names of the keyring's streams begin with its name. */
  readonly stream: string;
  /** The longest wait for one page of keys, in milliseconds. */
  readonly maxWaitMs: number;
}

const SECRET_BYTES = 32;
/** Keys that are read at once. Each is a read of its own stream. */
const PAGE = 64;
/** Key names of a subject in one read. */
const NAMES = 4096;

const StoredKey = z.object({ subject: z.string(), secret: z.base64() });
const StoredName = z.object({ key: z.uuid() });

/**
 * The keyring as streams: one for each key, with the secret as its only event, and one for each subject, which names the
 * subject's keys.
 *
 * Forgetting a key deletes its stream forever, by a tombstone. From then on no reader gets the key, and the deletion cannot
 * be undone. If the subject comes again, it gets another key, in another stream. The server removes the bytes from its disks
 * with its next scavenge.
 *
 * The subject's stream names a key before the key is stored, and a stream with a tombstone takes no event. So if a subject is
 * forgotten while its key is being made, the key is either found and forgotten, or never stored. There is no index: every
 * instance reads the streams.
 */
export function eventStoreKeyring({ client, stream, maxWaitMs }: EventStoreKeyringOptions): Keyring {
  const keyPrefix = `${stream}_key-`;
  const streamOfKey = (id: string): string => keyPrefix + id.toLowerCase();
  const streamOfSubject = (subject: string): string => `${stream}_subject-${subject}`;

  async function answered<T>(work: Promise<T>): Promise<T> {
    try {
      return await inTime(work, maxWaitMs, () => new LogUnavailableError('the keyring did not answer in time'));
    } catch (error) {
      if (error instanceof LogUnavailableError) throw error;
      throw new LogUnavailableError('failed to read or write the keyring', { cause: error });
    }
  }

  /** Runs `work` on all, PAGE of them at once. */
  async function each<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
    const done: R[] = [];
    for (let start = 0; start < all.length; start += PAGE)
      done.push(...(await answered(Promise.all(all.slice(start, start + PAGE).map(work)))));
    return done;
  }

  async function findOne(id: string): Promise<DataKey | null> {
    const [event] = await client.read(streamOfKey(id), 0, 1);
    if (event === undefined) return null;
    const { subject, secret } = StoredKey.parse(event.data);
    return { id: id.toLowerCase(), subject, secret: Buffer.from(secret, 'base64') };
  }

  /** Stores a key; a repeat changes nothing. Returns false if the key was forgotten. */
  async function store({ id, subject, secret }: DataKey): Promise<boolean> {
    const data = { subject, secret: secret.toString('base64') };
    return (await client.append(streamOfKey(id), [{ id, type: 'key', data }], 0)) !== 'deleted';
  }

  async function namesOf(subject: string): Promise<string[]> {
    const names: string[] = [];
    for (;;) {
      const page = await client.read(streamOfSubject(subject), names.length, NAMES);
      names.push(...page.map(({ data }) => StoredName.parse(data).key));
      if (page.length < NAMES) return names;
    }
  }

  /** Adds a key's name to the stream of its subject. Returns false if another name was added first. */
  async function name(subject: string, id: string, expected: number): Promise<boolean> {
    const outcome = await client.append(
      streamOfSubject(subject),
      [{ id, type: 'key-named', data: { key: id } }],
      expected,
    );
    return outcome !== 'deleted' && 'next' in outcome;
  }

  /** Returns the subject's last named key, or a new one if that was forgotten or there is none. */
  async function keyFor(subject: string): Promise<DataKey> {
    for (;;) {
      const last = await client.last(streamOfSubject(subject));
      const present = last === null ? null : await findOne(StoredName.parse(last.data).key);
      if (present !== null) return present;
      const key = { id: randomUUID(), subject, secret: randomBytes(SECRET_BYTES) };
      // If another instance has named a key first, reads again and uses that key.
      if (!(await name(subject, key.id, last === null ? 0 : last.number + 1))) continue;
      if (await store(key)) return key;
    }
  }

  async function put(key: DataKey): Promise<void> {
    const id = key.id.toLowerCase();
    for (;;) {
      const names = await namesOf(key.subject);
      if (names.includes(id) || (await name(key.subject, id, names.length))) break;
    }
    await store({ ...key, id });
  }

  return {
    async keysFor(subjects) {
      const keys = await each([...new Set(subjects)], keyFor);
      return new Map(keys.map((key) => [key.subject, key]));
    },

    async find(ids) {
      const found = await each(ids, findOne);
      return new Map(found.flatMap((key) => (key === null ? [] : [[key.id, key]])));
    },

    async forget(subject) {
      const names = await answered(namesOf(subject));
      await each(names, (id) => client.tombstone(streamOfKey(id)));
    },

    async *all() {
      let ids: string[] = [];
      // Forgotten keys are still among these until a scavenge. `findOne` does not find them.
      for await (const { stream: found } of client.readByPrefix(keyPrefix)) {
        ids.push(found.slice(keyPrefix.length));
        if (ids.length < PAGE) continue;
        yield* (await each(ids, findOne)).filter((key) => key !== null);
        ids = [];
      }
      yield* (await each(ids, findOne)).filter((key) => key !== null);
    },

    async put(keys) {
      await each(keys, put);
    },
  };
}
