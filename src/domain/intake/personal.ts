import type { LedgerEvent } from '../ledger-events.ts';
import {
  IV_BYTES,
  keyIdOfSecret,
  open,
  openSecret,
  type SealingKey,
  type StoredSecret,
  seal,
  sealedWith,
} from '../sealing.ts';
import {
  type ImportedUser,
  importedPersonalFields,
  person,
  type SealedImportedUser,
  type SealedUpdateItem,
  type UpdateItem,
} from './intake-events.ts';

/** The subject whose key seals the personal fields of a bot's user. */
export function subjectOf(bot: string, userId: number): string {
  return `${bot}/${userId}`;
}

export type KeyOf = (userId: number) => SealingKey;
export type RandomBytes = (size: number) => Uint8Array;

export function sealUpdate(item: UpdateItem, keyOf: KeyOf, randomBytes: RandomBytes): SealedUpdateItem {
  const { person: _, ...rest } = item;
  if (!isPersonal(item)) return rest;
  return { ...rest, person: sealJson(keyOf(item.user_id), item.person, randomBytes) };
}

export function sealImport(item: ImportedUser, keyOf: KeyOf, randomBytes: RandomBytes): SealedImportedUser {
  const { person, gender, timezone, custom_fields, ...rest } = item;
  if (!isPersonal(item)) return rest;
  return { ...rest, person: sealJson(keyOf(item.user_id), { person, gender, timezone, custom_fields }, randomBytes) };
}

/** Whether an item has anything to seal. */
export function isPersonal({ person, gender, timezone, custom_fields }: Partial<ImportedUser>): boolean {
  return [person, gender, timezone, custom_fields].some((field) => field !== undefined);
}

function sealJson(key: SealingKey, fields: unknown, randomBytes: RandomBytes): string {
  return seal(key, JSON.stringify(fields), randomBytes(IV_BYTES));
}

/** The ids of the keys that open the sealed fields of the event. @throws UnreadableEventError */
export function keyIdsOf(event: LedgerEvent): string[] {
  if (event.type === 'bot_created' || event.type === 'bot_changed') return keyIdOfSecret(event.data.token);
  const ids: string[] = [];
  if (event.type === 'updates_received' || event.type === 'users_imported')
    for (const { person } of event.data.items) if (typeof person === 'string') ids.push(sealedWith(person));
  return ids;
}

/**
 * The event with its personal fields and secrets in clear. Fields whose key was forgotten are left out.
 * @param bot the public key of the event's bot
 * @param keys null: leaves out all of these fields, also secrets that were never sealed
 * @throws UnreadableEventError
 */
export function openEvent(event: LedgerEvent, bot: string, keys: ReadonlyMap<string, SealingKey> | null): LedgerEvent {
  function opened(userId: number, sealed: string | undefined): unknown {
    if (sealed === undefined) return undefined;
    const key = keys?.get(sealedWith(sealed));
    return key === undefined ? undefined : JSON.parse(open(key.secret, subjectOf(bot, userId), sealed));
  }
  const secret = (stored: StoredSecret): string | null => (keys === null ? null : openSecret(stored, bot, keys));
  switch (event.type) {
    case 'updates_received': {
      const items = event.data.items.map((item): UpdateItem => {
        if (isUpdateInClear(item)) return item;
        const fields = opened(item.user_id, item.person);
        return { ...item, person: fields === undefined ? undefined : person.parse(fields) };
      });
      return { type: event.type, data: { items } };
    }
    case 'users_imported': {
      const items = event.data.items.map((item): ImportedUser => {
        if (isImportInClear(item)) return item;
        const { person: sealed, ...rest } = item;
        return { ...rest, ...importedPersonalFields.parse(opened(item.user_id, sealed) ?? {}) };
      });
      return { type: event.type, data: { items } };
    }
    case 'bot_created': {
      const { token } = event.data;
      return token === null ? event : { ...event, data: { ...event.data, token: secret(token) } };
    }
    case 'bot_changed': {
      const { token } = event.data;
      if (token === undefined || token === null) return event;
      return { ...event, data: { ...event.data, token: secret(token) } };
    }
    default:
      return event;
  }
}

/** An item of an opened event. @throws TypeError if it is still sealed: to skip its personal fields would lose them */
export function updateInClear(item: UpdateItem | SealedUpdateItem): UpdateItem {
  if (isUpdateInClear(item)) return item;
  throw new TypeError('an update is still sealed');
}

export function importInClear(item: ImportedUser | SealedImportedUser): ImportedUser {
  if (isImportInClear(item)) return item;
  throw new TypeError('an import is still sealed');
}

function isUpdateInClear(item: UpdateItem | SealedUpdateItem): item is UpdateItem {
  return typeof item.person !== 'string';
}

function isImportInClear(item: ImportedUser | SealedImportedUser): item is ImportedUser {
  return typeof item.person !== 'string';
}
