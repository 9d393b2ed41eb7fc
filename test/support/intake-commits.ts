import { createHash } from 'node:crypto';
import type { LedgerEvent } from '../../src/domain/ledger-events.ts';
import type { ReadCommit } from '../../src/projections/read-model.ts';

/** A commit as a projector passes it to a read model, with its events read. */
export function readCommit(stream: string, ordinal: number, at: number, events: readonly LedgerEvent[]): ReadCommit {
  return {
    id: commitId(`${stream} ${ordinal}`),
    stream,
    ordinal,
    at,
    position: `0:${String(ordinal).padStart(15, '0')}`,
    revision: null,
    prev: null,
    hash: null,
    events,
  };
}

/** A UUID derived from a text. */
export function commitId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function botCreated(bot_id: number, public_key: string, owner_id: number): LedgerEvent {
  return {
    type: 'bot_created',
    data: {
      bot_id,
      public_key,
      owner_id,
      webhook_secret_hash: '',
      name: public_key,
      username: null,
      token: null,
      timezone: 'UTC',
      pair_separator: '_',
      value_separator: '-',
      referral_new_users_only: false,
      auto_payout: 'off',
      paid_broadcasts: false,
    },
  };
}

export function ownerCreated(owner_id: number, currency: string): LedgerEvent {
  const data = { owner_id, public_key: `owner${owner_id}`, name: 'Owner', currency, plan: 'premium' as const };
  return { type: 'owner_created', data: { ...data, broadcasts_per_month: 100 } };
}
