import type { EventExcerpt } from '../projections/runtime/dead-letters.ts';

/** An event of a dead letter, as operators see it. */
export interface ShownEvent {
  readonly type: string;
  readonly v: number;
  /** If `data_whole` is false: the start of its JSON text, or null if it is not shown at all. */
  readonly data: unknown;
  /** Of the JSON text of the whole data. */
  readonly data_bytes: number;
  readonly data_whole: boolean;
}

/** Version 1 of these events has personal data in clear. */
const PERSONAL = new Set(['updates_received', 'users_imported']);

/** Leaves out of an event what operators may not see (decisions.md#dead-letters-shown). */
export function shownEvent({ type, v, text, bytes }: EventExcerpt): ShownEvent {
  const event = { type, v, data_bytes: bytes };
  if (v === 1 && PERSONAL.has(type)) return { ...event, data: null, data_whole: false };
  const shown = withoutSecrets(text);
  if (Buffer.byteLength(text) < bytes) return { ...event, data: shown, data_whole: false };
  return { ...event, data: JSON.parse(shown), data_whole: true };
}

/**
 * A text value of a token, a secret or a hash of one. A sealed secret is an object. The value may be cut off. A quote within
 * a text has a backslash, so a match is a name of the JSON text, and never within a text.
 */
const SECRETS = /("(?:token|secret|\w*_hash)"\s*:\s*")(?:[^"\\]|\\.)*(\\?$)?/g;

function withoutSecrets(text: string): string {
  return text.replace(SECRETS, '$1(left out)');
}
