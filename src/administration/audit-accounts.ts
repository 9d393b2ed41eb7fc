import type pg from 'pg';
import { auditAccount } from '../commands/referral/audit-account.ts';
import type { Tables } from '../database/tables.ts';
import { UnreadableEventError } from '../domain/event-type.ts';
import type { AuditedBalance } from '../domain/referral/account/audited-units.ts';
import { accountOf } from '../domain/streams.ts';
import { BrokenChainError, UnreadableCommitError } from '../log/port.ts';
import { type AccountName, revisionOf } from '../queries/referral/account-source.ts';
import { type BalanceRow, balanceOf } from '../queries/referral/find-balance.ts';
import type { LongWorkContext } from './administration-context.ts';

/** A problem of an account: in its stream, in its books, or in the balance that the API answers. */
export interface AccountFinding {
  readonly kind: 'account' | 'balance';
  readonly stream: string;
  readonly revision: number | null;
  readonly message: string;
}

/** Audits every account in the log from its first commit, or the accounts of one bot if one is named. */
export async function* auditAccounts(
  context: LongWorkContext,
  bot: string | undefined,
  onProgress: (done: number, total: number) => void,
): AsyncGenerator<AccountFinding> {
  const source = await context.at('accounts');
  const names = await openAuditedNames(source.pool);
  try {
    const total = await countAccounts(source, bot);
    let done = 0;
    for await (const heads of context.log.indexedStreamHeads())
      for (const stream of heads.keys()) {
        const name = accountOf(stream);
        if (name === null || (bot !== undefined && name.bot !== bot)) continue;
        yield* findingsOfAccount(context, source, names, stream, name);
        done++;
        onProgress(done, Math.max(done, total));
        context.signal.throwIfAborted();
      }
  } finally {
    names.close();
  }
}

/** Counts the accounts of the read model. */
async function countAccounts({ pool, accounts }: Tables<'accounts'>, bot: string | undefined): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::float8 AS count FROM ${accounts}.accounts WHERE $1::text IS NULL OR public_key = $1`,
    [bot],
  );
  return rows[0]!.count;
}

async function* findingsOfAccount(
  { log, sources }: LongWorkContext,
  source: Tables<'accounts'>,
  names: AuditedNames,
  stream: string,
  name: AccountName,
): AsyncGenerator<AccountFinding> {
  const now = sources.now();
  const { revision, rows } = await answeredBalance(source, name, now);
  try {
    const takenElsewhere = (given: readonly string[]) => names.take(stream, given);
    const until = { revision, now };
    const { problems, balances } = await auditAccount(log, name, takenElsewhere, until);
    for (const problem of problems) yield { kind: 'account', ...problem };
    const message = balances === null ? 'the read model is ahead of the log' : differentBalance(balances, rows);
    if (message !== null) yield { kind: 'balance', stream, revision, message };
  } catch (error) {
    if (!isBadCommit(error)) throw error;
    yield { kind: 'account', stream, revision: null, message: `cannot be read: ${error.message}` };
  }
}

/** Whether the error says that a commit in the log is broken or unreadable. */
export function isBadCommit(error: unknown): error is Error {
  return (
    error instanceof BrokenChainError || error instanceof UnreadableCommitError || error instanceof UnreadableEventError
  );
}

/** Reads the balance and the revision that it belongs to. Reads both again if a commit was applied in between. */
async function answeredBalance(source: Tables<'accounts'>, name: AccountName, now: number) {
  for (;;) {
    const revision = await revisionOf(source, name);
    const rows = await balanceOf(source, name, now);
    if ((await revisionOf(source, name)) === revision) return { revision, rows };
  }
}

/** Names that only one account may have. */
interface AuditedNames {
  /** Reserves names for an account. @returns the names that another account has reserved, with that account's stream */
  take(stream: string, names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Drops all reserved names. */
  close(): void;
}

/** Keeps the names as hashes in a temporary table of one session, since there may be millions. */
async function openAuditedNames(pool: pg.Pool): Promise<AuditedNames> {
  const session = await pool.connect();
  try {
    await session.query('CREATE TEMPORARY TABLE audited_names (hash bytea PRIMARY KEY, stream text NOT NULL)');
  } catch (error) {
    session.release(true);
    throw error;
  }
  return {
    async take(stream, names) {
      if (names.length === 0) return new Map();
      const { rows } = await session.query<{ name: string; stream: string }>(TAKE, [names, stream]);
      return new Map(rows.map((row) => [row.name, row.stream]));
    },

    close() {
      // Ends the session, and so drops its temporary table.
      session.release(true);
    },
  };
}

/** The SELECT does not see the rows that this statement inserts, so every row it sees is older. */
const TAKE = `
  WITH given AS (SELECT DISTINCT name, substr(sha256(convert_to(name, 'UTF8')), 1, 16) AS hash FROM unnest($1::text[]) name),
       taken AS (INSERT INTO audited_names SELECT hash, $2 FROM given ON CONFLICT DO NOTHING)
  SELECT name, stream FROM given JOIN audited_names USING (hash) WHERE stream <> $2 ORDER BY name`;

/** Names the first unit whose balance in the log differs from the answered one; null if there is none. */
export function differentBalance(
  balances: ReadonlyMap<number | null, AuditedBalance>,
  rows: readonly BalanceRow[],
): string | null {
  const answered = new Map(rows.map(({ unit_id, ...balance }) => [unit_id, balance]));
  for (const unit of new Set([...balances.keys(), ...answered.keys()])) {
    const [inLog, inReadModel] = [shown(balances.get(unit)), shown(answered.get(unit))];
    if (inLog !== inReadModel) return `unit ${unit ?? '-'} is ${inLog} in the log and ${inReadModel} in the read model`;
  }
  return null;
}

function shown(balance: AuditedBalance | undefined): string {
  if (balance === undefined) return 'nothing';
  const { available, reserved, paid, on_hold } = balance;
  return `${available} available, ${reserved} reserved, ${paid} paid, ${on_hold} on hold`;
}
