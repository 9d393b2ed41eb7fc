import type { AccountSource } from '../../queries/referral/account-source.ts';

/** What questions about accounts need. */
export interface AccountReads {
  readonly source: () => Promise<AccountSource>;
  /** Milliseconds UTC: what is on hold is judged by it. */
  readonly now: () => number;
}
