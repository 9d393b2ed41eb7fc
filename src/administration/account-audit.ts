import { isDeepStrictEqual } from 'node:util';
import { auditAccount } from '../commands/referral/audit-account.ts';
import { account } from '../domain/referral/account/account.ts';
import type { AuditedBalance } from '../domain/referral/account/audited-units.ts';
import { type HistoryRow, historyOf } from '../domain/referral/account/history.ts';
import type { AccountEvent } from '../domain/referral/account/state.ts';
import { accountStream, booksStream } from '../domain/streams.ts';
import type { EventLog } from '../log/port.ts';
import { type BalanceRow, balanceOf } from '../queries/referral/find-balance.ts';
import { historyRows } from '../queries/referral/history-rows.ts';
import type { LongWorkContext } from './administration-context.ts';
import { differentBalance } from './audit-accounts.ts';

/** The account to audit, and up to which time. */
export interface BalanceRequest {
  readonly bot: string;
  readonly user: number;
  readonly unit?: number;
  /** The last millisecond that counts, UTC. Without it, the balance that the API answers now is also compared. */
  readonly at?: number;
}

export interface AuditedAccount {
  /** Rows of the requested unit, from the log. */
  readonly history: readonly HistoryRow[];
  /** The first difference: to the read model, or of a closing to the account; null: there is none. */
  readonly difference: string | null;
  /** Why positions of the account are missing in the history. */
  readonly notes: readonly string[];
}

/** Computes an account's history from its stream and compares it with the read model. */
export async function auditOneAccount(
  context: Pick<LongWorkContext, 'log' | 'sources' | 'at'>,
  given: BalanceRequest,
): Promise<AuditedAccount> {
  const both = await bothSides(context, given);
  return {
    history: both.fromLog,
    difference: differentRow(both) ?? differentNow(both) ?? (await wrongClosing(context.log, given)),
    notes: missingPositions(both.commits, both.history, both.fromLog),
  };
}

interface BothSides {
  /** Commits of the account's stream, up to the requested time. */
  readonly commits: readonly AccountCommit[];
  /** Rows of every unit, from the log. */
  readonly history: readonly HistoryRow[];
  /** Rows of the requested unit, from the log. */
  readonly fromLog: readonly HistoryRow[];
  /** Rows of the requested unit, from the read model. */
  readonly answered: readonly HistoryRow[];
  /** The balances that the API answers for the unit; null if a past time is requested. */
  readonly balances: readonly BalanceRow[] | null;
}

interface AccountCommit {
  readonly revision: number;
  readonly events: readonly AccountEvent[];
}

/** Attempts to read both sides. A commit that is appended between the two reads is in one of them only. */
const MAX_ATTEMPTS = 3;

async function bothSides(
  { log, sources, at: tablesAt }: Pick<LongWorkContext, 'log' | 'sources' | 'at'>,
  { bot, user, unit, at }: BalanceRequest,
): Promise<BothSides> {
  const source = await tablesAt('accounts');
  const name = { bot, userId: user };
  const isWanted = ({ unit_id }: { readonly unit_id: number | null }): boolean =>
    unit === undefined || unit_id === unit;
  for (let attempt = 1; ; attempt++) {
    const all = await commitsOf(log, accountStream(bot, user));
    const now = sources.now();
    // If the clock is behind the account's last event, the time of that event counts, as it does for answers.
    const until = at ?? Math.max(now, lastOf(all));
    const commits = all.filter(({ events }) => events.some(({ data }) => data.at <= until));
    const history = historyOf(commits, until);
    const fromLog = history.filter(isWanted);
    const answered = await historyRows(source, name, { unitId: unit, until: at, limit: null, offset: 0 }, now);
    const balances = at === undefined ? (await balanceOf(source, name, now)).filter(isWanted) : null;
    const both = { commits, history, fromLog, answered, balances };
    if (attempt === MAX_ATTEMPTS || (isDeepStrictEqual(fromLog, answered) && differentNow(both) === null)) return both;
  }
}

async function commitsOf(log: EventLog, stream: string): Promise<AccountCommit[]> {
  const { commits } = await log.read(stream);
  return commits.map(({ revision, events }) => ({
    revision: revision!,
    events: events.map((event): AccountEvent => account.read(event)),
  }));
}

/** Names the first closing that differs from the account; null if there is none. */
async function wrongClosing(log: EventLog, { bot, user }: BalanceRequest): Promise<string | null> {
  const books = booksStream(bot, user);
  if (!(await log.streamHeads([books])).has(books)) return null;
  const none = { revision: 0, now: 0 };
  const { closingProblems } = await auditAccount(log, { bot, userId: user }, () => Promise.resolve(new Map()), none);
  const first = closingProblems[0];
  return first === undefined ? null : `${first.stream}, revision ${first.revision}: ${first.message}`;
}

/** The time of the last event; 0 if there is none. */
function lastOf(commits: readonly AccountCommit[]): number {
  return commits.reduce((last, { events }) => Math.max(last, ...events.map(({ data }) => data.at)), 0);
}

/** Names the first row that differs between the two sides; null if there is none. */
function differentRow({ fromLog, answered }: BothSides): string | null {
  const index = fromLog.findIndex((row, place) => !isDeepStrictEqual(row, answered[place]));
  if (index < 0 && answered.length === fromLog.length) return null;
  const row = index >= 0 ? index : fromLog.length;
  const [inLog, inTable] = [fromLog[row], answered[row]].map((each) => (each === undefined ? 'none' : line(each)));
  return `row ${row + 1} is ${inLog} in the log and ${inTable} in the read model`;
}

/** Names the first unit whose balance now differs from the end of its history; null if there is none. */
function differentNow({ fromLog, balances }: BothSides): string | null {
  if (balances === null) return null;
  const last = new Map(fromLog.map((row): [number | null, AuditedBalance] => [row.unit_id, row]));
  const difference = differentBalance(last, balances);
  return difference === null ? null : `the balance of ${difference}`;
}

function line({ event, accrual_id, payout_id, amount, unit_id, available }: HistoryRow): string {
  const what = accrual_id === null ? `payout ${payout_id}` : `accrual ${accrual_id}`;
  return `"${event} ${what}: ${amount} of unit ${unit_id ?? '-'}, ${available} available"`;
}

/** At most so many positions are named; the rest are counted. */
const MAX_NAMED = 20;

/**
 * Explains why positions of an account are missing in a list of its history, one line for each reason.
 * @param history rows of every unit
 * @param listed the rows of the list
 */
function missingPositions(
  commits: readonly { readonly revision: number; readonly events: readonly AccountEvent[] }[],
  history: readonly HistoryRow[],
  listed: readonly HistoryRow[],
): string[] {
  const positionsOf = (rows: readonly HistoryRow[]) => new Set(rows.map(({ position }) => position));
  const [moving, shown] = [positionsOf(history), positionsOf(listed)];
  const still = commits.filter(({ revision }) => !moving.has(revision));
  const types = [...new Set(still.flatMap(({ events }) => events.map(({ type }) => type)))];
  const others = commits.filter(({ revision }) => moving.has(revision) && !shown.has(revision));
  return [
    ...reason(still, (one) => `${one ? 'it moves' : 'they move'} no balance: ${types.join(', ')}`),
    ...reason(others, (one) => `${one ? 'it is' : 'they are'} of another unit`),
  ];
}

function reason(commits: readonly { readonly revision: number }[], why: (isOne: boolean) => string): string[] {
  if (commits.length === 0) return [];
  const isOne = commits.length === 1;
  const named = commits.slice(0, MAX_NAMED).map(({ revision }) => revision);
  const more = commits.length > MAX_NAMED ? ` and ${commits.length - MAX_NAMED} more` : '';
  const noun = isOne ? 'position' : 'positions';
  return [`${noun} ${named.join(', ')}${more} ${isOne ? 'is' : 'are'} passed over, since ${why(isOne)}`];
}
