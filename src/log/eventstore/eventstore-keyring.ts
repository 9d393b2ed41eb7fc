import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { inTime } from '../../util/in-time.ts';
import { type DataKey, type Keyring, LogUnavailableError } from '../port.ts';
import type { EventStoreClient } from './eventstore-client.ts';

export interface EventStoreKeyringOptions {
  readonly client: Pick<EventStoreClient, 'append' | 'last' | 'read' | 'readByPrefix' | 'tombstone'>;
  /** The log's stream. The names of the keyring's streams begin with its name. */
  readonly stream: string;
  /** The longest wait for one page of keys, in milliseconds. */
  readonly maxWaitMs: number;
}

const SECRET_BYTES = 32;
/** Keys that are read at once. Each is a separate read of one stream. */
const PAGE = 64;
/** Key names of a subject in one read. */
const NAMES = 4096;

const StoredKey = z.object({ subject: z.string(), secret: z.base64() });
const StoredName = z.object({ key: z.uuid() });

/**
 * The keyring as streams: one for each key, with the secret as its only event, and one for each subject with the names
 * of the subject's keys.
 *
 * Forgetting a key deletes its stream forever, by a tombstone. From then on no reader gets the key, and the deletion cannot
 * be undone. If the subject comes again, it gets another key, in another stream. The server removes the bytes from its disks
 * with its next scavenge.
 *
 * The subject's stream names a key before the key is stored, and a stream with a tombstone takes no event. So if a subject is
 * forgotten while its key is being made, the key is either found and forgotten, or never stored. There is no index: every
 * instance reads the streams.
 */
export class EventStoreKeyring implements Keyring {
  private readonly keyPrefix: string;

  constructor(private readonly options: EventStoreKeyringOptions) {
    this.keyPrefix = `${options.stream}_key-`;
  }

  async keysFor(subjects: readonly string[]): Promise<ReadonlyMap<string, DataKey>> {
    const keys = await this.each([...new Set(subjects)], (subject) => this.keyFor(subject));
    return new Map(keys.map((key) => [key.subject, key]));
  }

  async find(ids: readonly string[]): Promise<ReadonlyMap<string, DataKey>> {
    const found = await this.findAll(ids);
    return new Map(found.map((key) => [key.id, key]));
  }

  async forget(subject: string): Promise<void> {
    const names = await this.answered(this.namesOf(subject));
    await this.each(names, (id) => this.options.client.tombstone(this.streamOfKey(id)));
  }

  async *all(): AsyncGenerator<DataKey> {
    let ids: string[] = [];
    // Forgotten keys are still among these until a scavenge. `findOne` does not find them.
    for await (const { stream: found } of this.options.client.readByPrefix(this.keyPrefix)) {
      ids.push(found.slice(this.keyPrefix.length));
      if (ids.length < PAGE) continue;
      yield* await this.findAll(ids);
      ids = [];
    }
    yield* await this.findAll(ids);
  }

  async put(keys: readonly DataKey[]): Promise<void> {
    await this.each(keys, (key) => this.putOne(key));
  }

  /** Runs `work` on all, PAGE of them at once. */
  private async each<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
    const done: R[] = [];
    for (let start = 0; start < all.length; start += PAGE)
      done.push(...(await this.answered(Promise.all(all.slice(start, start + PAGE).map(work)))));
    return done;
  }

  private async answered<T>(work: Promise<T>): Promise<T> {
    try {
      const late = (): Error => new LogUnavailableError('the keyring did not answer in time');
      return await inTime(work, this.options.maxWaitMs, late);
    } catch (error) {
      if (error instanceof LogUnavailableError) throw error;
      throw new LogUnavailableError('failed to read or write the keyring', { cause: error });
    }
  }

  private async findAll(ids: readonly string[]): Promise<DataKey[]> {
    return (await this.each(ids, (id) => this.findOne(id))).filter((key) => key !== null);
  }

  private async findOne(id: string): Promise<DataKey | null> {
    const [event] = await this.options.client.read(this.streamOfKey(id), 0, 1);
    if (event === undefined) return null;
    const { subject, secret } = StoredKey.parse(event.data);
    return { id: id.toLowerCase(), subject, secret: Buffer.from(secret, 'base64') };
  }

  /** Returns the subject's last named key, or a new one if that was forgotten or there is none. */
  private async keyFor(subject: string): Promise<DataKey> {
    for (;;) {
      const last = await this.options.client.last(this.streamOfSubject(subject));
      const present = last === null ? null : await this.findOne(StoredName.parse(last.data).key);
      if (present !== null) return present;
      const key = { id: randomUUID(), subject, secret: randomBytes(SECRET_BYTES) };
      // If another instance has named a key first, reads again and uses that key.
      if (!(await this.name(subject, key.id, last === null ? 0 : last.number + 1))) continue;
      if (await this.store(key)) return key;
    }
  }

  private async putOne(key: DataKey): Promise<void> {
    const id = key.id.toLowerCase();
    for (;;) {
      const names = await this.namesOf(key.subject);
      if (names.includes(id) || (await this.name(key.subject, id, names.length))) break;
    }
    await this.store({ ...key, id });
  }

  private async namesOf(subject: string): Promise<string[]> {
    const names: string[] = [];
    for (;;) {
      const page = await this.options.client.read(this.streamOfSubject(subject), names.length, NAMES);
      names.push(...page.map(({ data }) => StoredName.parse(data).key));
      if (page.length < NAMES) return names;
    }
  }

  /** Adds a key's name to the stream of its subject. Returns false if another name was added first. */
  private async name(subject: string, id: string, expected: number): Promise<boolean> {
    const event = { id, type: 'key-named', data: { key: id } };
    const outcome = await this.options.client.append(this.streamOfSubject(subject), [event], expected);
    return outcome !== 'deleted' && 'next' in outcome;
  }

  /** Stores a key; a repeat changes nothing. Returns false if the key was forgotten. */
  private async store({ id, subject, secret }: DataKey): Promise<boolean> {
    const data = { subject, secret: secret.toString('base64') };
    return (await this.options.client.append(this.streamOfKey(id), [{ id, type: 'key', data }], 0)) !== 'deleted';
  }

  private streamOfKey(id: string): string {
    return this.keyPrefix + id.toLowerCase();
  }

  private streamOfSubject(subject: string): string {
    return `${this.options.stream}_subject-${subject}`;
  }
}
