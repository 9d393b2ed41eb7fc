import { setImmediate } from 'node:timers/promises';
import { type AccountEvent, account } from '../../domain/referral/account/account.ts';
import { createAccountAudit, givenOnce } from '../../domain/referral/account/audit.ts';
import type { AuditedBalance } from '../../domain/referral/account/audited-units.ts';
import { encodeAccount, SNAPSHOT_VERSION } from '../../domain/referral/account/snapshot.ts';
import { EMPTY_STREAM, type EventLog } from '../../log/port.ts';
import type { SnapshotStore } from '../stream-snapshots.ts';

export interface AuditedAccount {
  /** The faults, each with its revision. */
  readonly problems: readonly { readonly revision: number; readonly message: string }[];
  /** The revision of a snapshot that differs from what the events come to; null: there is none. */
  readonly wrongSnapshot: number | null;
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
 * @param snapshots to compare the account's snapshot with what its events come to
 * @throws BrokenChainError, UnreadableCommitError, UnreadableEventError
 */
export async function auditAccount(
  log: EventLog,
  stream: string,
  elsewhere: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>,
  until: { readonly revision: number; readonly now: number },
  snapshots?: SnapshotStore,
): Promise<AuditedAccount> {
  const snapshot = (await snapshots?.load(stream, SNAPSHOT_VERSION)) ?? null;
  /** The account as decisions fold it, up to its snapshot. The fold relies on the rules: after a fault it has no meaning. */
  let state = account.initialState();
  let wrongSnapshot: number | null = null;
  const audit = createAccountAudit();
  const problems: { revision: number; message: string }[] = [];
  let balances = until.revision === 0 ? audit.balances(until.now) : null;
  let head = EMPTY_STREAM;
  for (let read = PAGE; read === PAGE; ) {
    const slice = await log.read(stream, head, PAGE);
    read = slice.commits.length;
    head = slice.head;
    /** The names that these commits take, each with the last revision that takes it. */
    const given = new Map<string, number>();
    for (const { revision, hash, events } of slice.commits) {
      for (const event of events.map((each): AccountEvent => account.read(each))) {
        for (const message of audit.take(event)) problems.push({ revision: revision!, message });
        for (const name of givenOnce(event)) given.set(name, revision!);
        const isFolded = snapshot !== null && revision! <= snapshot.head.revision && problems.length === 0;
        if (isFolded) state = account.evolve(state, event);
      }
      // One with another hash is of another log, and is not used.
      const isThere = revision === snapshot?.head.revision && hash === snapshot?.head.hash && problems.length === 0;
      if (isThere && !Buffer.from(encodeAccount(state).buffer).equals(snapshot.bytes)) wrongSnapshot = revision;
      if (revision === until.revision) balances = audit.balances(until.now);
    }
    for (const [name, other] of await elsewhere([...given.keys()]))
      problems.push({ revision: given.get(name)!, message: `${name} is one of ${other}, too` });
    await setImmediate();
  }
  return { problems, wrongSnapshot, balances };
}
