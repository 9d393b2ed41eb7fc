import { auditAccount } from '../../commands/referral/audit-account.ts';
import { UnreadableEventError } from '../../domain/event-type.ts';
import { accountOf } from '../../domain/streams.ts';
import { BrokenChainError, UnreadableCommitError } from '../../log/port.ts';
import { accountsReadModel } from '../../projections/accounts/read-model.ts';
import { type AccountName, type AccountSource, revisionOf } from '../../queries/referral/account-source.ts';
import { balanceOf } from '../../queries/referral/balance.ts';
import type { CliContext } from '../context.ts';
import { differentBalance } from './audited-balances.ts';
import { type AuditedNames, openAuditedNames } from './audited-names.ts';

/** What is wrong with an account: in its stream, or in the balance that is answered. */
export interface AccountFinding {
  readonly kind: 'account' | 'balance';
  readonly stream: string;
  readonly revision: number | null;
  readonly message: string;
}

/** Every account that the log has, of one bot if one is named, each from its beginning. */
export async function* auditAccounts(
  context: CliContext,
  bot: string | undefined,
  onProgress: (done: number, total: number) => void,
): AsyncGenerator<AccountFinding> {
  const { pool, schema } = await context.projected(accountsReadModel);
  const source: AccountSource = { pool, accounts: schema };
  const names = await openAuditedNames(pool);
  try {
    const total = await accountsOf(source, bot);
    let done = 0;
    for await (const heads of context.log.indexedStreamHeads())
      for (const stream of heads.keys()) {
        const name = accountOf(stream);
        if (name === null || (bot !== undefined && name.bot !== bot)) continue;
        yield* ofAccount(context, source, names, stream, name);
        done++;
        onProgress(done, Math.max(done, total));
        context.signal.throwIfAborted();
      }
  } finally {
    names.close();
  }
}

/** How many accounts the read model has. */
async function accountsOf({ pool, accounts }: AccountSource, bot: string | undefined): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::float8 AS count FROM ${accounts}.accounts WHERE $1::text IS NULL OR public_key = $1`,
    [bot],
  );
  return rows[0]!.count;
}

async function* ofAccount(
  { log, sources }: CliContext,
  source: AccountSource,
  names: AuditedNames,
  stream: string,
  name: AccountName,
): AsyncGenerator<AccountFinding> {
  const now = sources.now();
  const { revision, rows } = await answeredOf(source, name, now);
  try {
    const elsewhere = (given: readonly string[]) => names.take(stream, given);
    const { problems, balances } = await auditAccount(log, stream, elsewhere, { revision, now });
    for (const problem of problems) yield { kind: 'account', stream, ...problem };
    const message = balances === null ? 'the read model is ahead of the log' : differentBalance(balances, rows);
    if (message !== null) yield { kind: 'balance', stream, revision, message };
  } catch (error) {
    if (!isOfTheLog(error)) throw error;
    yield { kind: 'account', stream, revision: null, message: `cannot be read: ${error.message}` };
  }
}

/** What a commit may be that cannot be taken for what it should be. */
export function isOfTheLog(error: unknown): error is Error {
  return (
    error instanceof BrokenChainError || error instanceof UnreadableCommitError || error instanceof UnreadableEventError
  );
}

/** The answer, and the revision that it is of: what is recorded between the two questions makes them be asked again. */
async function answeredOf(source: AccountSource, name: AccountName, now: number) {
  for (;;) {
    const revision = await revisionOf(source, name);
    const rows = await balanceOf(source, name, now);
    if ((await revisionOf(source, name)) === revision) return { revision, rows };
  }
}
