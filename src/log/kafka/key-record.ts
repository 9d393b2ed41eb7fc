import type { DataKey } from '../port.ts';
import { canonicalUuid, type LogRecord } from '../validated/record.ts';
import type { NewRecord } from '../validated/record-store.ts';
import type { Tombstone } from './client.ts';

/**
 * Records of the topic of keys: a record's key is `<subject>/<key id>`, its value the secret, or null when the key is
 * forgotten. One partition: they are few and small, and one end tells whether a reader has seen them all.
 */
export const KEYS_PARTITION = 0;
const SECRET_BYTES = 32;
/** An index entry holds 2,704 bytes at most. */
const MAX_SUBJECT_BYTES = 1000;

export function recordOfKey({ id, subject, secret }: DataKey): NewRecord {
  return { partition: KEYS_PARTITION, key: `${subject}/${id}`, value: secret };
}

export function tombstoneOf({ id, subject }: Pick<DataKey, 'id' | 'subject'>): Tombstone {
  return { partition: KEYS_PARTITION, key: `${subject}/${id}`, value: null };
}

/** So that its topic ends with a record that compaction does not remove: see key-indexer.ts. */
export const BEACON: NewRecord = { partition: KEYS_PARTITION, key: 'beacon', value: Buffer.from('1') };

/** A key, or the id of one that was forgotten; null when the record is neither, as a beacon is. */
export function readKeyRecord({ key, value }: LogRecord): DataKey | { readonly forgotten: string } | null {
  if (key == null) return null;
  const name = Buffer.from(key).toString();
  const slash = name.lastIndexOf('/');
  const subject = name.slice(0, slash);
  const id = canonicalUuid(name.slice(slash + 1));
  if (slash < 1 || id === undefined || /\0|\ufffd/.test(subject)) return null;
  if (Buffer.byteLength(subject) > MAX_SUBJECT_BYTES) return null;
  if (value === null) return { forgotten: id };
  return value.length === SECRET_BYTES ? { id, subject, secret: Buffer.from(value) } : null;
}
