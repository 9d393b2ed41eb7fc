import { request, type Value } from '../api.ts';

/** Amounts are exact decimals: texts where a float would change them. Dates are `YYYY-MM-DD HH:MM:SS`, UTC. */
export type Amount = string | number;

export interface Balance {
  readonly unit_id: number | null;
  readonly available: Amount;
  readonly reserved: Amount;
  readonly paid: Amount;
  readonly on_hold: Amount;
}

export interface Names {
  readonly user_id: number;
  readonly first_name: string | null;
  readonly username: string | null;
}

export interface Referrer extends Names {
  readonly referrals: number;
  readonly balance: readonly (Balance & { readonly earned: Amount })[];
}

export interface Referrers {
  readonly referrers: readonly Referrer[];
  readonly data_as_of: string;
}

export interface Line extends Balance {
  readonly position: number | null;
  readonly date: string;
  readonly event: string;
  readonly accrual_id: number | null;
  readonly payout_id: number | null;
  readonly amount: Amount;
}

/** An accrual, and the payout that has it. */
export interface Entry {
  readonly accrual_id: number;
  readonly referral_id: number;
  readonly rule_name: string | null;
  readonly payout_id: number | null;
  readonly compensates: number | null;
  readonly compensated_by: number | null;
  readonly reason: string | null;
}

export type PayoutStatus = 0 | 1 | 2 | 3 | 4;

export interface Payout extends Names {
  readonly payout_id: number;
  readonly amount: Amount;
  readonly unit_id: number | null;
  readonly status: PayoutStatus;
  readonly method: string;
  readonly initiated_by: 'api' | 'admin' | 'auto';
  readonly requested_at: string;
  readonly processed_at: string | null;
  readonly error: string | null;
  readonly deliveries: readonly {
    readonly attempt: number;
    readonly at: string;
    readonly status: number | null;
    readonly error: string | null;
  }[];
}

export interface Payouts {
  readonly payouts: readonly Payout[];
  readonly data_as_of: string;
}

export interface Rule extends Readonly<Record<string, Value>> {
  readonly rule_id: number;
  readonly name: string;
  readonly amount: Value;
  readonly percent: Value;
}

export interface Unit {
  readonly unit_id: number;
  readonly code: string;
}

export interface Program {
  readonly rules: readonly Rule[];
  readonly units: readonly Unit[];
}

export interface Commit {
  readonly position: number;
  readonly date: string;
  readonly hash: string;
  readonly prev: string;
  readonly events: readonly string[];
}

export interface Chain {
  readonly head: { readonly position: number; readonly hash: string } | null;
  readonly commits: readonly Commit[];
}

/** Asks an endpoint of the referral program. */
export function ask<T>(
  bot: string,
  path: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<T> {
  return request(`/v1/referral/${path}?${new URLSearchParams(query)}`, { bot, signal });
}

export const loadProgram = (bot: string, signal: AbortSignal): Promise<Program> => ask(bot, 'program', {}, signal);

/** Rows of a page of the API. */
export const PAGE = 200;
/** Lines of a history that the page reads. */
export const MAX_LINES = 2000;

interface Account {
  readonly user: Referrer | undefined;
  readonly lines: readonly Line[];
  /** Whether `lines` is the whole history. */
  readonly complete: boolean;
  readonly entries: ReadonlyMap<number, Entry>;
  readonly payouts: readonly Payout[];
  readonly rates: readonly Readonly<Record<string, Value>>[];
  readonly data_as_of: string;
}

/** Loads an account but for its balance, which depends on a moment. */
export async function loadAccount(bot: string, user: string, signal: AbortSignal): Promise<Account> {
  const of = { user_id: user };
  const get = <T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> =>
    ask(bot, path, { ...of, ...query }, signal);
  const all = async <T>(path: string, key: string): Promise<readonly T[]> => {
    const rows: T[] = [];
    while (rows.length < MAX_LINES) {
      const page = await get<Readonly<Record<string, T[]>>>(path, { limit: `${PAGE}`, offset: `${rows.length}` });
      rows.push(...page[key]!);
      if (page[key]!.length < PAGE) break;
    }
    return rows;
  };
  const [{ referrers, data_as_of }, lines, entries, payouts, { rates }] = await Promise.all([
    get<Referrers>('referrers'),
    all<Line>('history', 'history'),
    all<Entry>('entries', 'entries'),
    all<Payout>('all-payouts', 'payouts'),
    get<Pick<Account, 'rates'>>('rates'),
  ]);
  return {
    user: referrers[0],
    lines,
    complete: lines.length < MAX_LINES,
    entries: new Map(entries.map((entry) => [entry.accrual_id, entry])),
    payouts,
    rates,
    data_as_of,
  };
}
