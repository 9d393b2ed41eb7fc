import { signal } from '@preact/signals';

export interface Bot {
  /** Public key of the bot. */
  readonly resource_key: string;
  readonly name: string;
  readonly username: string | null;
  /** IANA name; periods of reports are in it. */
  readonly timezone: string;
}

/** The session of this browser. Dates are ISO 8601. */
export interface Session {
  readonly expires_at: string;
  readonly plan: 'premium' | 'free';
  readonly currency: string;
  readonly bots: readonly Bot[];
}

/** `undefined`: not known yet; null: the browser has no session. */
export const session = signal<Session | null | undefined>(undefined);
