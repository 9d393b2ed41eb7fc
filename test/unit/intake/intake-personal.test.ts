import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnreadableEventError } from '../../../src/domain/event-type.ts';
import {
  importedUser as importedUserShape,
  updatesReceived,
  usersImported,
} from '../../../src/domain/intake/intake-events.ts';
import {
  isPersonal,
  keyIdsOf,
  openEvent,
  sealImport,
  sealUpdate,
  subjectOf,
  updateInClear,
} from '../../../src/domain/intake/personal.ts';
import { type LedgerEvent, readEvent } from '../../../src/domain/ledger-events.ts';
import type { SealingKey } from '../../../src/domain/sealing.ts';
import { importedUser, updateItem } from '../../support/intake-logs.ts';

const BOT = 'bShop';
const keys = new Map<number, SealingKey>();
function keyOf(userId: number): SealingKey {
  const key = keys.get(userId) ?? { id: randomUUID(), subject: subjectOf(BOT, userId), secret: randomBytes(32) };
  keys.set(userId, key);
  return key;
}
const byId = (): Map<string, SealingKey> => new Map([...keys.values()].map((key) => [key.id, key]));
/** As the log returns it. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
/** Without undefined fields, as in JSON. */
const plain = stored;

const ada = {
  update_id: 1,
  user_id: 42,
  makes_user: true,
  is_bot: false,
  is_premium: false,
  person: { first_name: 'Ada', username: 'ada' },
};

describe('updates and imports', () => {
  it('are the same after the log, which has nothing personal in clear', () => {
    const items = fc.array(fc.tuple(updateItem, importedUser), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(items, (pairs) => {
        const updates = pairs.map(([update]) => update);
        // The import refuses a custom field named __proto__ before.
        const users = pairs.map(([, user]) => importedUserShape.parse(user));
        const events = [
          updatesReceived.create({ items: updates.map((item) => sealUpdate(item, keyOf, randomBytes)) }),
          usersImported.create({ items: users.map((item) => sealImport(item, keyOf, randomBytes)) }),
        ].map(stored);
        for (const { data } of events)
          for (const item of (data as { items: object[] }).items) {
            expect(item).not.toHaveProperty('gender');
            expect(item).not.toHaveProperty('custom_fields');
            if ('person' in item) expect(item.person).toMatch(/^1\.[0-9a-f-]{36}\.[\w-]+$/);
          }
        const opened = events.map((event) => openEvent(readEvent(event), BOT, byId()));
        expect(plain(opened.map(({ data }) => data))).toEqual(plain([{ items: updates }, { items: users }]));
        const named = events.flatMap((event) => keyIdsOf(readEvent(event)));
        const personal = [...updates, ...users].filter(isPersonal);
        expect(named.sort()).toEqual(personal.map(({ user_id }) => keyOf(user_id).id).sort());
      }),
    );
  });

  it('lose only the personal fields once the key is forgotten', () => {
    const update = readEvent(stored(updatesReceived.create({ items: [sealUpdate(ada, keyOf, randomBytes)] })));
    const user = { user_id: 42, is_premium: true, gender: 'f', custom_fields: { phone: '1' } };
    const imported = readEvent(stored(usersImported.create({ items: [sealImport(user, keyOf, randomBytes)] })));
    const { person: _, ...rest } = ada;
    expect(openEvent(update, BOT, new Map()).data).toEqual({ items: [rest] });
    expect(openEvent(imported, BOT, new Map()).data).toEqual({ items: [{ user_id: 42, is_premium: true }] });
  });

  it('cannot be written in clear, and version 1 is read in clear', () => {
    expect(() => updatesReceived.create({ items: [ada] })).toThrow(/person/);
    expect(() => usersImported.create({ items: [{ user_id: 42, person: { full_name: 'Ada' } }] })).toThrow(/person/);
    const old: LedgerEvent = readEvent({ type: 'updates_received', v: 1, data: { items: [ada] } });
    expect(openEvent(old, BOT, new Map()).data).toEqual({ items: [ada] });
    const user = { user_id: 42, person: { full_name: 'Ada' }, gender: 'f', custom_fields: { city: 'London' } };
    const oldImport = readEvent({ type: 'users_imported', v: 1, data: { items: [user] } });
    expect(openEvent(oldImport, BOT, new Map()).data).toEqual({ items: [user] });
    expect(keyIdsOf(oldImport)).toEqual([]);
  });

  it('of one user cannot be opened as those of another user or bot', () => {
    const sealed = sealUpdate(ada, keyOf, randomBytes);
    const moved = (user_id: number) => readEvent(updatesReceived.create({ items: [{ ...sealed, user_id }] }));
    expect(openEvent(moved(42), BOT, byId()).data).toEqual({ items: [ada] });
    expect(() => openEvent(moved(43), BOT, byId())).toThrow(UnreadableEventError);
    expect(() => openEvent(moved(42), 'bOther', byId())).toThrow(UnreadableEventError);
  });

  it('are not taken for absent while they are sealed', () => {
    expect(updateInClear(ada)).toEqual(ada);
    expect(() => updateInClear(sealUpdate(ada, keyOf, randomBytes))).toThrow(TypeError);
  });
});
