import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Decision } from '../../domain/decider.ts';
import { type AccountEvent, type AccountState, account } from '../../domain/referral/account/account.ts';
import { Rejection } from '../../domain/rejection.ts';
import { accountStream } from '../../domain/streams.ts';
import { ConflictError } from '../../log/port.ts';
import { type CommandContext, type CommandMeta, type CommandResult, decideAndAppend } from '../decide-and-append.ts';
import { createIdPool, type IdPool } from '../reserve-ids.ts';
import {
  type AccountSnapshots,
  accountSnapshots,
  type FoldedAccount,
  foldInto,
  SNAPSHOT_EVENTS,
  sizeOf,
} from './account-snapshots.ts';

/** The account of a user of a bot; `bot` is the bot's public key. */
export interface AccountKey {
  readonly bot: string;
  readonly userId: number;
}

export interface AccountCommand {
  /** How many ids the decision needs at most in this state. They are reserved before it is made. */
  readonly needs?: { readonly kind: 'accrual' | 'payout'; count(state: AccountState, now: number): number };
  decide(state: AccountState, now: number, ids: readonly number[]): Decision<AccountEvent>;
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

/** Size of the cache over all accounts, some 50 bytes a unit. An accrual counts two units, a refusal one. */
const MAX_CACHED = 2_200_000;
/** Commits in memory at once. */
const PAGE = 100;
/** Events folded in one go. They take about 10 ms. The thread answers no request during this time. */
const EVENTS_PER_TURN = 1000;

/**
 * Keeps the folded accounts that were used last and reads each on from its last commit. To read an account of a million
 * accruals from its beginning takes longer than a request may.
 */
export function createAccounts(
  context: CommandContext,
  maxCached = MAX_CACHED,
  snapshotEvents = SNAPSHOT_EVENTS,
): Accounts {
  return new CachedAccounts(context, maxCached, snapshotEvents);
}

class CachedAccounts implements Accounts {
  private readonly entries: LRUCache<string, FoldedAccount>;
  private readonly snapshots: AccountSnapshots;
  /** Accounts that are being read from their snapshot or their beginning. */
  private readonly loading = new Map<string, Promise<FoldedAccount>>();
  private readonly pools: Readonly<Record<'accrual' | 'payout', IdPool>>;

  constructor(
    readonly context: CommandContext,
    maxCached: number,
    snapshotEvents: number,
  ) {
    this.entries = new LRUCache({ maxSize: maxCached });
    this.snapshots = accountSnapshots(context, snapshotEvents);
    this.pools = { accrual: createIdPool(context, 'accrual'), payout: createIdPool(context, 'payout') };
  }

  async view<T>({ bot, userId }: AccountKey, select: (state: AccountState) => T): Promise<T> {
    return select((await this.refresh(accountStream(bot, userId))).state);
  }

  async change(
    { bot, userId }: AccountKey,
    { needs, decide }: AccountCommand,
    meta: CommandMeta = {},
  ): Promise<CommandResult<AccountEvent>> {
    const stream = accountStream(bot, userId);
    const ids: number[] = [];
    const pool = needs === undefined ? undefined : this.pools[needs.kind];
    /** The ids in events that are in the log, or may be. */
    let used: readonly number[] = [];
    const decideWithIds = (state: AccountState, now: number): Decision<AccountEvent> => {
      const decision = decide(state, now, ids);
      used = decision instanceof Rejection ? [] : decision.flatMap(idsOf);
      return decision;
    };
    try {
      const result = await decideAndAppend(this.context, account, stream, decideWithIds, {
        ...meta,
        read: () => {
          used = [];
          return this.refresh(stream);
        },
        // While ids are reserved the account may change, and with it how many are needed.
        prepare(state, now) {
          const missing = needs === undefined ? 0 : needs.count(state, now) - ids.length;
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

  /** The present account in the log. */
  private async refresh(stream: string): Promise<FoldedAccount> {
    // A caller that finds the account being read from the beginning waits for that read, and then reads on from its
    // result. If that read fails, the caller reads from the beginning itself.
    const begun = this.loading.get(stream);
    if (begun !== undefined) await begun.catch(() => undefined);
    const cached = this.entries.get(stream);
    if (cached !== undefined) return this.readOn(stream, cached);
    const loaded = this.snapshots.load(stream).then((known) => {
      if (known.head.revision > 0) this.keep(stream, known);
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
        foldInto(entry, commit);
        folded += commit.events.length;
        if (folded < EVENTS_PER_TURN) continue;
        await setImmediate();
        folded = 0;
      }
      if (read > 0) this.keep(stream, entry);
    }
    this.snapshots.saveIfDue(stream, entry);
    return entry;
  }

  private keep(stream: string, entry: FoldedAccount): void {
    this.entries.set(stream, entry, { size: sizeOf(entry.state) });
  }
}

/** The ids that an event gives away. */
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
