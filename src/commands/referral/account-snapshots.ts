import { type AccountState, account } from '../../domain/referral/account/account.ts';
import { decodeAccount, encodeAccount, SNAPSHOT_VERSION } from '../../domain/referral/account/snapshot.ts';
import type { RecordedCommit } from '../../log/port.ts';
import { type CommandContext, foldNext, nothingLoaded, type SharedCopy } from '../decide-and-append.ts';
import { lastCommitOf } from '../stream-snapshots.ts';

/** A folded account in memory. */
export interface FoldedAccount extends SharedCopy<AccountState> {
  /** Hash of the commit before its head. */
  prev: string;
  /** The revision at which a snapshot was due last, or of the snapshot that it was read from; 0: none. */
  saved: number;
  /** Events that were folded since. */
  unsaved: number;
}

/** A snapshot is due when so many events have been folded: they take about 50 ms to read again. */
export const SNAPSHOT_EVENTS = 10_000;
/** And at least this share of the account's size: a snapshot is written whole. */
const SNAPSHOT_SHARE = 1 / 50;

/** The number of things that an account has: accruals, refusals and payouts. */
export function sizeOf({ earned, accruals, payouts }: AccountState): number {
  return 1 + earned.size + accruals.size + payouts.size;
}

/** Snapshots of long accounts (decisions.md#account-snapshots). */
export interface AccountSnapshots {
  /** The account as its snapshot has it. Without a snapshot that is of this stream, nothing is loaded. */
  load(stream: string): Promise<FoldedAccount>;
  /** Saves a snapshot if one is due, while the caller continues. */
  saveIfDue(stream: string, folded: FoldedAccount): void;
}

/** @param least events between two snapshots, at least */
export function accountSnapshots({ log, snapshots }: CommandContext, least: number): AccountSnapshots {
  /** Streams of which a snapshot is being saved. */
  const saving = new Set<string>();
  const nothing = (): FoldedAccount => ({ ...nothingLoaded(account), prev: '', saved: 0, unsaved: 0 });
  return {
    async load(stream) {
      const found = (await snapshots?.load(stream, SNAPSHOT_VERSION)) ?? null;
      if (found === null) return nothing();
      const last = await lastCommitOf(log, stream, found);
      if (last === null) {
        await snapshots!.drop(stream, SNAPSHOT_VERSION, found.head);
        return nothing();
      }
      const { head, prev, bytes } = found;
      return { state: decodeAccount(bytes), head, prev, position: last.position, saved: head.revision, unsaved: 0 };
    },

    saveIfDue(stream, folded) {
      if (snapshots === undefined || saving.has(stream)) return;
      if (folded.unsaved < Math.max(least, SNAPSHOT_SHARE * sizeOf(folded.state))) return;
      saving.add(stream);
      const since = folded.saved;
      folded.saved = folded.head.revision;
      folded.unsaved = 0;
      const take = () => ({ head: folded.head, prev: folded.prev, bytes: encodeAccount(folded.state) });
      void snapshots.save(stream, SNAPSHOT_VERSION, since, take).finally(() => saving.delete(stream));
    },
  };
}

/** Folds a commit, as {@link foldNext}. */
export function foldInto(folded: FoldedAccount, commit: RecordedCommit): void {
  const { revision, hash } = folded.head;
  foldNext(account, folded, commit);
  if (folded.head.revision === revision) return;
  folded.prev = hash;
  folded.unsaved += commit.events.length;
}
