import type { BalanceAnswer, HistoryAnswer, RatesAnswer } from '../../../src/api/referral/account-schemas.ts';
import type {
  AllPayoutsAnswer,
  ChainAnswer,
  EntriesAnswer,
  ProgramAnswer,
  ReferrersAnswer,
  TotalsAnswer,
} from '../../../src/api/referral/overview-schemas.ts';
import { request } from '../api.ts';
import { latestLines } from './latest-lines.ts';

/** Amounts are exact decimals: texts where a float would change them. Dates are `YYYY-MM-DD HH:MM:SS`, UTC. */
export type Amount = string | number;
type Exact<T, Amounts extends keyof T> = Readonly<
  Omit<T, Amounts> & { [Key in Amounts]: Amount | Extract<T[Key], null> }
>;
type Held = 'available' | 'reserved' | 'paid' | 'on_hold';

export interface Balances extends Omit<BalanceAnswer, 'balance'> {
  readonly balance: readonly Exact<BalanceAnswer['balance'][number], Held>[];
}

type ReferrerRow = ReferrersAnswer['referrers'][number];
export interface Referrer extends Omit<ReferrerRow, 'balance'> {
  readonly balance: readonly Exact<ReferrerRow['balance'][number], Held | 'earned'>[];
}
export interface Referrers extends Omit<ReferrersAnswer, 'referrers'> {
  readonly referrers: readonly Referrer[];
}

export type Names = Readonly<Pick<ReferrerRow, 'user_id' | 'first_name' | 'username'>>;
export type Line = Exact<HistoryAnswer['history'][number], Held | 'amount'>;
/** An accrual, and the payout that has it. */
export type Entry = Readonly<EntriesAnswer['entries'][number]>;

export type Payout = Exact<AllPayoutsAnswer['payouts'][number], 'amount'>;
export interface Payouts extends Omit<AllPayoutsAnswer, 'payouts'> {
  readonly payouts: readonly Payout[];
}

export interface Totals extends Omit<TotalsAnswer, 'amounts'> {
  readonly amounts: readonly Exact<TotalsAnswer['amounts'][number], 'earned' | 'reserved' | 'paid'>[];
}

type RuleRow = ProgramAnswer['rules'][number];
export interface Program {
  readonly rules: readonly Exact<RuleRow, 'amount' | 'percent' | 'hold_days'>[];
  readonly units: ProgramAnswer['units'];
}

export type Commit = Readonly<ChainAnswer['commits'][number]>;
export type Chain = Readonly<ChainAnswer>;
export type Rate = Exact<RatesAnswer['rates'][number], 'reward_amount' | 'reward_percent'>;

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

/** The most rows that the API answers at once. */
export const MOST = 200;
/** Lines of a history that the chart shows. */
const CHARTED = 1000;

export interface Account {
  readonly user: Referrer | undefined;
  /** The latest lines of the history, the oldest of them first. */
  readonly lines: readonly Line[];
  /** Whether `lines` is the whole history. */
  readonly complete: boolean;
  readonly rates: readonly Rate[];
  readonly data_as_of: string;
}

/** Loads an account, but for the lists that have pages and the balance, which depends on a moment. */
export async function loadAccount(bot: string, user: string, signal: AbortSignal): Promise<Account> {
  const get = <T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> =>
    ask(bot, path, { user_id: user, ...query }, signal);
  const latest = async (): Promise<Line[]> =>
    (
      await latestLines(async (page) => (await get<{ history: Line[] }>('history', page)).history, {
        pageSize: MOST,
        most: CHARTED,
      })
    ).reverse();
  const [{ referrers, data_as_of }, lines, { rates }] = await Promise.all([
    get<Referrers>('referrers'),
    latest(),
    get<{ rates: Rate[] }>('rates'),
  ]);
  return { user: referrers[0], lines, complete: lines.length < CHARTED, rates, data_as_of };
}
