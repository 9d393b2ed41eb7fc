import { signal } from '@preact/signals';

export interface Bot {
  /** Public key of the bot. */
  readonly resource_key: string;
  readonly name: string;
  readonly username: string | null;
  /** IANA name; periods of reports are in it. */
  readonly timezone: string;
}

/** The session of an owner, by a key of this kind. Dates are ISO 8601. */
export interface OwnerSession {
  readonly kind: 'personal' | 'owner';
  readonly expires_at: string;
  /** Whether the key is for all bots of the owner, later ones too. */
  readonly all_bots: boolean;
  readonly plan: 'premium' | 'free';
  readonly currency: string;
  readonly bots: readonly Bot[];
  /** Whether the service proves balances; absent: it does not. */
  readonly proofs?: true;
}

/** The session of an operator, who runs the service and sees no data of owners. */
export interface OperatorSession {
  readonly kind: 'operator';
  readonly expires_at: string;
  readonly name: string;
  readonly can: 'read' | 'act';
}

export type Session = OwnerSession | OperatorSession;

/** `undefined`: not known yet; null: the browser has no session. */
export const session = signal<Session | null | undefined>(undefined);

/**
 * Whether a session of this page ended without a log-out here: it was ended elsewhere, its key is not valid any more, or
 * another log-in in this browser has replaced it.
 */
export const endedElsewhere = signal(false);

/** The currency of the owner, in which amounts are summed up. */
export const currency = (): string | undefined =>
  session.value?.kind === 'operator' ? undefined : session.value?.currency;
