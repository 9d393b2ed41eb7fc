import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataKey, EventLog } from '../../src/log/port.ts';
import { newBot } from '../support/log.ts';
import type { EngineUnderTest, LogUnderTest } from './event-log.contract.ts';

/** The promises of every engine's keyring, as tests. They share one log and use different subjects. */
export function describeKeyring(engine: Pick<EngineUnderTest, 'name' | 'create'>): void {
  describe(`the keyring of the log on ${engine.name}`, () => {
    let under: LogUnderTest;
    let log: EventLog;
    /** The same log, as another process sees it. */
    let other: EventLog;

    beforeAll(async () => {
      under = await engine.create();
      log = await under.open();
      other = await under.open();
    });
    afterAll(async () => {
      await Promise.all([log.close(), other.close()]);
      await under.destroy();
    });

    let users = 0;
    const newSubject = (): string => `${newBot()}/${++users}`;
    const newKey = (subject: string): DataKey => ({ id: randomUUID(), subject, secret: randomBytes(32) });
    async function keyFor(subject: string, { keys } = log): Promise<DataKey> {
      return (await keys.keysFor([subject])).get(subject)!;
    }
    async function found(ids: readonly string[], { keys } = other): Promise<string[]> {
      return [...(await keys.find(ids)).keys()].sort();
    }
    async function all({ keys }: EventLog): Promise<DataKey[]> {
      const list: DataKey[] = [];
      for await (const key of keys.all()) list.push(key);
      return list;
    }

    it('makes one key for each subject, and every OS process finds it at once', async () => {
      const subjects = Array.from({ length: 20 }, newSubject);
      const made = await log.keys.keysFor(subjects);
      expect([...made.keys()].sort()).toEqual([...subjects].sort());
      expect(new Set([...made.values()].map(({ id }) => id)).size).toBe(20);
      expect(new Set([...made.values()].map(({ secret }) => secret.toString('hex'))).size).toBe(20);
      for (const [subject, key] of made) {
        expect(key.subject).toBe(subject);
        expect(key.secret).toHaveLength(32);
        expect((await other.keys.find([key.id])).get(key.id)).toEqual(key);
      }
    });

    it('returns the existing key of a subject', async () => {
      const subject = newSubject();
      const key = await keyFor(subject);
      // From here on every OS process has the key.
      expect(await found([key.id])).toEqual([key.id]);
      expect(await keyFor(subject)).toEqual(key);
      expect(await keyFor(subject, other)).toEqual(key);
      const fresh = newSubject();
      const both = await other.keys.keysFor([subject, fresh, subject]);
      expect([...both.keys()].sort()).toEqual([subject, fresh].sort());
      expect(both.get(subject)).toEqual(key);
    });

    it('finds nothing for no ids, and finds no unknown key', async () => {
      expect(await log.keys.keysFor([])).toEqual(new Map());
      expect(await log.keys.find([])).toEqual(new Map());
      expect(await log.keys.find([randomUUID()])).toEqual(new Map());
    });

    it('gives concurrent callers keys that can be found', async () => {
      const subjects = Array.from({ length: 15 }, newSubject);
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? log : other).keys.keysFor(subjects)),
      );
      const given = answers.flatMap((answer) => [...answer.values()]);
      expect(given).toHaveLength(120);
      const ids = [...new Set(given.map(({ id }) => id))].sort();
      expect(await found(ids)).toEqual(ids);
      await other.keys.forget(subjects[0]!);
      const forgotten = given.filter(({ subject }) => subject === subjects[0]).map(({ id }) => id);
      expect(await found(ids)).toEqual(ids.filter((id) => !forgotten.includes(id)));
    });

    it('forgets all keys of a subject and of no other, on every handle, and makes new ones afterwards', async () => {
      const subject = newSubject();
      const neighbour = await keyFor(`${subject}0`);
      const key = await keyFor(subject);
      const second = newKey(subject);
      await other.keys.put([second]);
      await log.keys.forget(subject);
      for (const each of [log, other]) {
        expect(await found([key.id, second.id, neighbour.id], each)).toEqual([neighbour.id]);
        expect((await all(each)).filter((one) => one.subject === subject)).toEqual([]);
      }
      const next = await keyFor(subject, other);
      expect([key.id, second.id]).not.toContain(next.id);
      expect(next.secret).not.toEqual(key.secret);
      expect(await found([next.id], log)).toEqual([next.id]);
    });

    it('forgets a subject again, and one that it never had', async () => {
      const subject = newSubject();
      await log.keys.forget(subject);
      const { id } = await keyFor(subject);
      await Promise.all([log.keys.forget(subject), other.keys.forget(subject)]);
      await other.keys.forget(subject);
      expect(await found([id])).toEqual([]);
    });

    it('takes keys of another keyring, also again, and lists all keys', async () => {
      const keys = Array.from({ length: 1200 }, () => newKey(newSubject()));
      await log.keys.put(keys);
      await other.keys.put(keys.slice(0, 100));
      const ids = keys.map(({ id }) => id).sort();
      expect(await found(ids)).toEqual(ids);
      const mine = new Set(ids);
      const byId = (a: DataKey, b: DataKey): number => (a.id < b.id ? -1 : 1);
      expect((await all(other)).filter(({ id }) => mine.has(id)).sort(byId)).toEqual([...keys].sort(byId));
      const { subject } = keys[0]!;
      expect(await keyFor(subject)).toEqual(keys[0]);
    });

    it('keeps its keys, and keeps forgotten keys forgotten, when it is opened again', async () => {
      const [kept, gone] = [await keyFor(newSubject()), await keyFor(newSubject())];
      await log.keys.forget(gone.subject);
      await log.close();
      log = await under.open();
      expect(await log.keys.find([kept.id, gone.id])).toEqual(new Map([[kept.id, kept]]));
      expect(await keyFor(kept.subject)).toEqual(kept);
    });

    it('makes keys for 1,000 new subjects in one call', async () => {
      const subjects = Array.from({ length: 1000 }, newSubject);
      const ids = [...(await log.keys.keysFor(subjects)).values()].map(({ id }) => id).sort();
      expect(ids).toHaveLength(1000);
      expect(await found(ids)).toEqual(ids);
    });
  });
}
