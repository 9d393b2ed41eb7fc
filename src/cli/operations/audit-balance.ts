import { isDeepStrictEqual } from 'node:util';
import { utcDate } from '../../domain/local-time.ts';
import { type AccountEvent, account } from '../../domain/referral/account/account.ts';
import type { AuditedBalance } from '../../domain/referral/account/audit.ts';
import { type HistoryRow, historyOf } from '../../domain/referral/account/history.ts';
import { accountStream } from '../../domain/streams.ts';
import type { EventLog } from '../../log/port.ts';
import { accountsReadModel } from '../../projections/accounts/read-model.ts';
import { type BalanceRow, balanceOf } from '../../queries/referral/balance.ts';
import { historyRows } from '../../queries/referral/history.ts';
import { type Answer, type CliContext, CliError } from '../command.ts';
import { exactly } from '../output.ts';
import { differentBalance } from './audit-accounts.ts';

/** Which account, and up to when. */
export interface Balance {
  readonly bot: string;
  readonly user: number;
  readonly unit?: number;
  /** The last millisecond that counts, UTC; without it, the balance that is answered now is compared, too. */
  readonly at?: number;
}

/** An account as its stream tells it, held against what the service answers from. */
export async function auditBalance(context: CliContext, given: Balance): Promise<Answer> {
  const both = await bothSides(context, given);
  const difference = differentRow(both) ?? differentNow(both);
  return {
    value: both.told.map((row) => shown(row, { date_ms: row.date })),
    shown: both.told.map((row) => shown(row, {})),
    notes: passedOver(both.commits, both.history, both.told),
    ...(difference !== null && { failure: new CliError(difference) }),
  };
}

interface BothSides {
  /** Of the account's stream, up to the time that is asked for. */
  readonly commits: readonly AccountCommit[];
  /** Of every unit, from the log. */
  readonly history: readonly HistoryRow[];
  /** Of the unit that is asked for. */
  readonly told: readonly HistoryRow[];
  readonly answered: readonly HistoryRow[];
  /** What the API answers for the unit; null: it is about a past moment. */
  readonly balances: readonly BalanceRow[] | null;
}

export interface AccountCommit {
  readonly revision: number;
  readonly events: readonly AccountEvent[];
}

/** What is recorded while the two are read is in one of them alone: then they are read again. */
const ROUNDS = 3;

async function bothSides(
  { log, sources, projected }: CliContext,
  { bot, user, unit, at }: Balance,
): Promise<BothSides> {
  const { pool, schema } = await projected(accountsReadModel);
  const [source, name] = [
    { pool, accounts: schema },
    { bot, userId: user },
  ];
  const isWanted = ({ unit_id }: { readonly unit_id: number | null }): boolean =>
    unit === undefined || unit_id === unit;
  for (let round = 1; ; round++) {
    const all = await commitsOf(log, accountStream(bot, user));
    const now = sources.now();
    // A clock that is behind the account's last event does not count, as for what is answered.
    const until = at ?? Math.max(now, lastOf(all));
    const commits = all.filter(({ events }) => events.some(({ data }) => data.at <= until));
    const history = historyOf(commits, until);
    const told = history.filter(isWanted);
    const answered = await historyRows(source, name, { unitId: unit, until: at, limit: null, offset: 0 }, now);
    const balances = at === undefined ? (await balanceOf(source, name, now)).filter(isWanted) : null;
    const both = { commits, history, told, answered, balances };
    if (round === ROUNDS || (isDeepStrictEqual(told, answered) && differentNow(both) === null)) return both;
  }
}

async function commitsOf(log: EventLog, stream: string): Promise<AccountCommit[]> {
  const { commits } = await log.read(stream);
  return commits.map(({ revision, events }) => ({
    revision: revision!,
    events: events.map((event): AccountEvent => account.read(event)),
  }));
}

/** The time of the last event; 0: there is none. */
function lastOf(commits: readonly AccountCommit[]): number {
  return commits.reduce((last, { events }) => Math.max(last, ...events.map(({ data }) => data.at)), 0);
}

/** The first row that is not the same on both sides; null: none. */
function differentRow({ told, answered }: BothSides): string | null {
  const index = told.findIndex((row, place) => !isDeepStrictEqual(row, answered[place]));
  if (index < 0 && answered.length === told.length) return null;
  const row = index >= 0 ? index : told.length;
  const [inLog, inTable] = [told[row], answered[row]].map((each) => (each === undefined ? 'none' : line(each)));
  return `row ${row + 1} is ${inLog} in the log and ${inTable} in the read model`;
}

/** The first unit whose balance now is not what its history comes to; null: none. */
function differentNow({ told, balances }: BothSides): string | null {
  if (balances === null) return null;
  const last = new Map(told.map((row): [number | null, AuditedBalance] => [row.unit_id, row]));
  const difference = differentBalance(last, balances);
  return difference === null ? null : `the balance of ${difference}`;
}

function shown(
  { position, date, amount, on_hold, available, reserved, paid, ...row }: HistoryRow,
  more: object,
): object {
  return {
    position,
    date: utcDate(date),
    ...more,
    ...row,
    amount: exactly(amount),
    on_hold: exactly(on_hold),
    available: exactly(available),
    reserved: exactly(reserved),
    paid: exactly(paid),
  };
}

function line({ event, accrual_id, payout_id, amount, unit_id, available }: HistoryRow): string {
  const what = accrual_id === null ? `payout ${payout_id}` : `accrual ${accrual_id}`;
  return `"${event} ${what}: ${amount} of unit ${unit_id ?? '-'}, ${available} available"`;
}

/** So many are named; the rest are counted. */
const NAMED = 20;

/**
 * Why positions of an account are missing in a list of its history, a line for each reason.
 * @param history rows of every unit
 * @param listed those that are in the list
 */
function passedOver(
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
  const named = commits.slice(0, NAMED).map(({ revision }) => revision);
  const more = commits.length > NAMED ? ` and ${commits.length - NAMED} more` : '';
  const noun = isOne ? 'position' : 'positions';
  return [`${noun} ${named.join(', ')}${more} ${isOne ? 'is' : 'are'} passed over, since ${why(isOne)}`];
}
