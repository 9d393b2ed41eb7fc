import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { inTime } from '../../util/in-time.ts';
import { type DataKey, type Keyring, LogUnavailableError } from '../port.ts';
import type { EventStoreClient } from './client.ts';

export interface EventStoreKeyringOptions {
  readonly client: Pick<EventStoreClient, 'append' | 'last' | 'read' | 'readByPrefix' | 'tombstone'>;
  /** The log's stream; those of the keyring are named after it. */
  readonly stream: string;
  /** No caller waits longer for an answer to one page, in milliseconds. */
  readonly maxWaitMs: number;
}

const SECRET_BYTES = 32;
/** Keys asked for at once: each is a read of its own stream. */
const PAGE = 64;
/** Names of a subject's keys in one read. */
const NAMES = 4096;

const StoredKey = z.object({ subject: z.string(), secret: z.base64() });
const StoredName = z.object({ key: z.uuid() });

/**
 * The keyring as streams: one for each key, with the secret as its only event, and one for each subject, naming its keys. To
 * forget a key is to delete its stream for ever (a tombstone): no reader gets it from then on, not even by undoing the
 * deletion, and a subject that is met again gets another key, in another stream. A key is named before it is there, and
 * what has a tombstone takes no event: so a key that is being made while its subject is forgotten is either found and
 * forgotten, or never comes to be. There is no index: the streams are the truth, at once and for every instance.
 *
 * The bytes leave the server's disks with its next scavenge.
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
      throw new LogUnavailableError('the keyring cannot be asked', { cause: error });
    }
  }

  /** `work` on all, so many at once. */
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

  /** Whether the key is there now: not if it was forgotten. Storing it again changes nothing. */
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

  async function name(subject: string, id: string, expected: number): Promise<boolean> {
    const outcome = await client.append(
      streamOfSubject(subject),
      [{ id, type: 'key-named', data: { key: id } }],
      expected,
    );
    return outcome !== 'deleted' && 'next' in outcome;
  }

  /** The key named last; where there is none any more, or not yet, a new one. */
  async function keyFor(subject: string): Promise<DataKey> {
    for (;;) {
      const last = await client.last(streamOfSubject(subject));
      const known = last === null ? null : await findOne(StoredName.parse(last.data).key);
      if (known !== null) return known;
      const key = { id: randomUUID(), subject, secret: randomBytes(SECRET_BYTES) };
      // The loser reads again: the key named in between may be another instance's.
      if (!(await name(subject, key.id, last === null ? 0 : last.number + 1))) continue;
      if (await store(key)) return key;
    }
  }

  async function take(key: DataKey): Promise<void> {
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
      // Until a scavenge, what was forgotten is still among them; each is looked for as any other.
      for await (const { stream: found } of client.readByPrefix(keyPrefix)) {
        ids.push(found.slice(keyPrefix.length));
        if (ids.length < PAGE) continue;
        yield* (await each(ids, findOne)).filter((key) => key !== null);
        ids = [];
      }
      yield* (await each(ids, findOne)).filter((key) => key !== null);
    },

    async put(keys) {
      await each(keys, take);
    },
  };
}
