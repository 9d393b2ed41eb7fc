import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Decision } from '../../domain/decider.ts';
import { account } from '../../domain/referral/account/account.ts';
import { BLOCK_WEIGHT } from '../../domain/referral/account/closing.ts';
import { type Lookup, notRecalled, Recalled } from '../../domain/referral/account/recall.ts';
import type { AccountEvent, AccountState } from '../../domain/referral/account/state.ts';
import { Rejection } from '../../domain/rejection.ts';
import { accountStream } from '../../domain/streams.ts';
import { ConflictError } from '../../log/port.ts';
import { type CommandContext, type CommandMeta, type CommandResult, decideAndAppend } from '../decide-and-append.ts';
import { createIdPool, type IdPool } from '../reserve-ids.ts';
import { type AccountKey, Books, closeBooksInLog, type FoldedAccount, OtherClosingError } from './books.ts';

export interface AccountCommand {
  /** Names that the decision looks for in closed blocks. The command reads them from the log before it decides. */
  lookups?(state: AccountState, recalled: Recalled): readonly Lookup[];
  /** The most ids that the decision needs in this state. The command reserves them before it decides. */
  readonly needs?: {
    readonly kind: 'accrual' | 'payout';
    count(state: AccountState, now: number, recalled: Recalled): number;
  };
  decide(state: AccountState, now: number, ids: readonly number[], recalled: Recalled): Decision<AccountEvent>;
}

/** Referrers' accounts: read from the log, and changed by decisions. */
export interface Accounts {
  readonly context: CommandContext;
  /** Reads the present account from the log. `select` may keep no part of the state: later reads change it in place. */
  view<T>(key: AccountKey, select: (state: AccountState) => T): Promise<T>;
  /**
   * Decides on an account and appends, as {@link decideAndAppend}.
   * @throws Rejection the decision was a refusal
   * @throws ConflictError other appends came between too often
   * @throws LogUnavailableError, OutcomeUnknownError as `EventLog.append`
   */
  change(key: AccountKey, command: AccountCommand, meta?: CommandMeta): Promise<CommandResult<AccountEvent>>;
}

/** The size of the cache of all accounts, in bytes (estimated). */
const MAX_CACHED_BYTES = 110_000_000;
/** Commits of one read from the log. */
const PAGE = 100;
/** Events folded before a pause for other requests: about 10 ms in which the thread answers no request. */
const EVENTS_PER_TURN = 1000;

/**
 * Keeps the folded accounts used last, and reads only their new commits. Reading an account of a million accruals from its
 * beginning takes longer than a request may take.
 */
export function createAccounts(
  context: CommandContext,
  maxCachedBytes = MAX_CACHED_BYTES,
  blockWeight = BLOCK_WEIGHT,
): Accounts {
  return new CachedAccounts(context, maxCachedBytes, blockWeight);
}

class CachedAccounts implements Accounts {
  private readonly entries: LRUCache<string, FoldedAccount>;
  private readonly books: Books;
  /** Accounts that are being read from their closings or their beginning. */
  private readonly loading = new Map<string, Promise<FoldedAccount>>();
  private readonly pools: Readonly<Record<'accrual' | 'payout', IdPool>>;

  constructor(
    readonly context: CommandContext,
    maxCachedBytes: number,
    blockWeight: number,
  ) {
    this.entries = new LRUCache({ maxSize: maxCachedBytes });
    this.books = new Books(context.log, blockWeight);
    this.pools = { accrual: createIdPool(context, 'accrual'), payout: createIdPool(context, 'payout') };
  }

  async view<T>(key: AccountKey, select: (state: AccountState) => T): Promise<T> {
    return select((await this.refresh(key)).state);
  }

  async change(
    key: AccountKey,
    { lookups, needs, decide }: AccountCommand,
    meta: CommandMeta = {},
  ): Promise<CommandResult<AccountEvent>> {
    const stream = accountStream(key.bot, key.userId);
    const recalled = new Recalled();
    const ids: number[] = [];
    const pool = needs === undefined ? undefined : this.pools[needs.kind];
    /** The ids in events that are in the log or may be in the log. */
    let used: readonly number[] = [];
    const decideWithIds = (state: AccountState, now: number): Decision<AccountEvent> => {
      const decision = decide(state, now, ids, recalled);
      used = decision instanceof Rejection ? [] : decision.flatMap(idsOf);
      return decision;
    };
    try {
      const result = await decideAndAppend(this.context, account, stream, decideWithIds, {
        ...meta,
        read: () => {
          used = [];
          return this.refreshToChange(key);
        },
        // During the read or the reservation the account may change, and so may the data that the decision needs.
        prepare: (state, now) => {
          const unread = (lookups?.(state, recalled) ?? []).filter(
            (lookup) => notRecalled(recalled, lookup).length > 0,
          );
          if (unread.length > 0) return this.books.lookUp(key, recalled, unread);
          const missing = needs === undefined ? 0 : needs.count(state, now, recalled) - ids.length;
          return missing > 0 ? pool!.take(missing).then((taken) => void ids.push(...taken)) : undefined;
        },
      });
      // A repeat may be of this commit: the engine may have appended it again after a lost answer.
      used = result.events.flatMap(idsOf);
      return result;
    } catch (error) {
      if (error instanceof ConflictError) used = [];
      throw error;
    } finally {
      pool?.giveBack(ids.filter((id) => !used.includes(id)));
    }
  }

  /** The present account in the log, with its books closed. */
  private async refreshToChange(key: AccountKey): Promise<FoldedAccount> {
    for (;;) {
      const entry = await this.refresh(key);
      try {
        await closeBooksInLog(this.context, entry);
        return entry;
      } catch (error) {
        if (!(error instanceof OtherClosingError)) throw error;
        this.entries.delete(accountStream(key.bot, key.userId));
      }
    }
  }

  /** The present account in the log. */
  private async refresh(key: AccountKey): Promise<FoldedAccount> {
    const stream = accountStream(key.bot, key.userId);
    // If another caller is reading the account from the beginning, wait for that read and continue from its result. If
    // that read fails, this caller reads from the beginning.
    const begun = this.loading.get(stream);
    if (begun !== undefined) await begun.catch(() => undefined);
    const cached = this.entries.get(stream);
    if (cached !== undefined) return this.readOn(stream, cached);
    const loaded = this.books.load(key).then((known) => {
      this.keep(stream, known);
      return this.readOn(stream, known);
    });
    this.loading.set(stream, loaded);
    try {
      return await loaded;
    } finally {
      this.loading.delete(stream);
    }
  }

  /** Reads new commits and folds them, with a pause for other requests after each {@link EVENTS_PER_TURN}. */
  private async readOn(stream: string, entry: FoldedAccount): Promise<FoldedAccount> {
    let folded = 0;
    for (let read = PAGE; read === PAGE; ) {
      const { commits } = await this.context.log.read(stream, entry.head, PAGE);
      read = commits.length;
      for (const commit of commits) {
        await this.books.fold(entry, commit);
        folded += commit.events.length;
        if (folded < EVENTS_PER_TURN) continue;
        await setImmediate();
        folded = 0;
      }
      if (read > 0) this.keep(stream, entry);
    }
    return entry;
  }

  private keep(stream: string, entry: FoldedAccount): void {
    if (entry.head.revision > 0) this.entries.set(stream, entry, { size: bytesOf(entry.state) });
  }
}

/** Estimates the size of an account in memory, in bytes. */
function bytesOf({ open, closed, payouts, reversals, units }: AccountState): number {
  const earned = closed.reduce((sum, block) => sum + block.earned.length, 0);
  const holds = [...units.values()].reduce((sum, unit) => sum + unit.holds.size, 0);
  return 1000 + earned + 24 * holds + 60 * reversals.size + 500 * payouts.size + 400 * open.earned.size;
}

/** The reserved ids that an event uses. */
function idsOf(event: AccountEvent): number[] {
  switch (event.type) {
    case 'reward_accrued':
      return [event.data.accrual_id];
    case 'payout_requested':
      return event.data.payouts.map(({ payout_id }) => payout_id);
    case 'accrual_reversed':
      return event.data.compensation_id === null ? [] : [event.data.compensation_id];
    default:
      return [];
  }
}
