import { setImmediate } from 'node:timers/promises';
import { account } from '../../domain/referral/account/account.ts';
import { createAccountAudit, givenOnce } from '../../domain/referral/account/account-rules.ts';
import type { AuditedBalance } from '../../domain/referral/account/audited-units.ts';
import { accountStream } from '../../domain/streams.ts';
import { EMPTY_STREAM, type EventLog } from '../../log/port.ts';
import { AuditedClosings, type StreamProblem } from './audit-closings.ts';
import type { AccountKey } from './books.ts';

export interface AuditedAccount {
  /** The faults, in the order of the account. */
  readonly problems: readonly StreamProblem[];
  /** Only the faults of closings. After a fault of the account itself, closings are not compared. */
  readonly closingProblems: readonly StreamProblem[];
  /** By unit, as of revision `until`; null: the stream ends before. */
  readonly balances: ReadonlyMap<number | null, AuditedBalance> | null;
}

/** Commits in memory at once. */
const PAGE = 100;

/**
 * Reads an account from the log and checks the rules of {@link createAccountAudit}.
 * @param elsewhere takes the names that only one account may have ({@link givenOnce}), and returns the names that
 * another account has, with its stream
 * @param until the revision and the time (ms UTC) of the balances
 * @throws BrokenChainError, UnreadableCommitError, UnreadableEventError
 */
export async function auditAccount(
  log: EventLog,
  key: AccountKey,
  elsewhere: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>,
  until: { readonly revision: number; readonly now: number },
): Promise<AuditedAccount> {
  const stream = accountStream(key.bot, key.userId);
  const audit = createAccountAudit();
  const closings = await AuditedClosings.begin(log, key);
  const problems: StreamProblem[] = [];
  const closingProblems: StreamProblem[] = [];
  let balances = until.revision === 0 ? audit.balances(until.now) : null;
  let head = EMPTY_STREAM;
  for (let read = PAGE; read === PAGE; ) {
    const slice = await log.read(stream, head, PAGE);
    read = slice.commits.length;
    head = slice.head;
    /** The names that these commits take, each with the last revision that takes it. */
    const given = new Map<string, number>();
    for (const commit of slice.commits) {
      const revision = commit.revision!;
      for (const event of commit.events.map((each) => account.read(each))) {
        for (const message of audit.take(event)) problems.push({ stream, revision, message });
        for (const name of givenOnce(event)) given.set(name, revision);
      }
      if (problems.length === 0) closingProblems.push(...(await closings.take(commit, (now) => audit.balances(now))));
      if (revision === until.revision) balances = audit.balances(until.now);
    }
    for (const [name, other] of await elsewhere([...given.keys()]))
      problems.push({ stream, revision: given.get(name)!, message: `${name} is one of ${other}, too` });
    await setImmediate();
  }
  if (problems.length === 0) closingProblems.push(...(await closings.end()));
  return { problems: [...problems, ...closingProblems], closingProblems, balances };
}
