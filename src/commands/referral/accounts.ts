import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Decision } from '../../domain/decider.ts';
import { type AccountEvent, type AccountState, account } from '../../domain/referral/account/account.ts';
import { Rejection } from '../../domain/rejection.ts';
import { accountStream } from '../../domain/streams.ts';
import { ConflictError, EMPTY_STREAM, type Position, type RecordedCommit, type StreamHead } from '../../log/port.ts';
import { type CommandContext, type CommandMeta, type Handled, repeatedBy } from '../handle.ts';
import { createIdPool, type IdPool } from '../reserve-ids.ts';

/** Whose account: a user of a bot, which is named by its public key. */
export interface AccountKey {
  readonly bot: string;
  readonly userId: number;
}

export interface AccountCommand {
  /** Ids that the decision needs at most, as the account stands. */
  readonly needs?: { readonly kind: 'accrual' | 'payout'; count(state: AccountState, now: number): number };
  decide(state: AccountState, now: number, ids: readonly number[]): Decision<AccountEvent>;
}

/** Referrers' accounts, read from the log and decided upon. */
export interface Accounts {
  readonly context: CommandContext;
  /** Looks at an account as it is in the log now; nothing of the state may be kept. */
  look<T>(key: AccountKey, what: (state: AccountState) => T): Promise<T>;
  /**
   * Decides on an account, and appends on top of what was read; if another append came between, decides again.
   * @throws Rejection the decision was a refusal
   * @throws ConflictError the account was never still
   * @throws LogUnavailableError, OutcomeUnknownError as `EventLog.append`
   */
  change(key: AccountKey, command: AccountCommand, meta?: CommandMeta): Promise<Handled<AccountEvent>>;
}

/** An account as far as it was read. */
interface Entry {
  state: AccountState;
  head: StreamHead;
  position: Position | undefined;
}

/** What is kept in memory, over all accounts: some 300 bytes each. An accrual counts twice, a refusal once. */
const MAX_CACHED = 2_200_000;
/** Commits in memory at once. */
const PAGE = 100;
/** Events that are folded at a stretch: some 20 ms, in which no request is answered. */
const TURN = 1000;
/** As in `handle`: a rival wins each round. */
const MAX_ROUNDS = 50;

/**
 * Accounts that were used last are kept as they were folded, and read on from there: to read one of a million accruals
 * takes longer than a request may.
 */
export function createAccounts(context: CommandContext, maxCached = MAX_CACHED): Accounts {
  const { log, sources } = context;
  const entries = new LRUCache<string, Entry>({ maxSize: maxCached });
  /** Accounts that are being read from the beginning. */
  const loading = new Map<string, Promise<Entry>>();
  const pools: Readonly<Record<'accrual' | 'payout', IdPool>> = {
    accrual: createIdPool(context, 'accrual'),
    payout: createIdPool(context, 'payout'),
  };

  /** The account as the log has it now. */
  async function refresh(stream: string): Promise<Entry> {
    // Who finds it being read from the beginning waits for that, and reads on from there, whatever became of it.
    const begun = loading.get(stream);
    if (begun !== undefined) await begun.catch(() => undefined);
    const known = entries.get(stream);
    if (known !== undefined) return readOn(stream, known);
    const entry = { state: account.initialState(), head: EMPTY_STREAM, position: undefined };
    const loaded = readOn(stream, entry);
    loading.set(stream, loaded);
    try {
      return await loaded;
    } finally {
      loading.delete(stream);
    }
  }

  /** Reads what is new, so much at once that others have their turn. Reads may overlap: each commit is folded once, in order. */
  async function readOn(stream: string, entry: Entry): Promise<Entry> {
    let folded = 0;
    for (let read = PAGE; read === PAGE; ) {
      const { commits } = await log.read(stream, entry.head, PAGE);
      read = commits.length;
      for (const commit of commits) {
        fold(entry, commit);
        folded += commit.events.length;
        if (folded < TURN) continue;
        await setImmediate();
        folded = 0;
      }
      const { earned, accruals, payouts } = entry.state;
      if (read > 0) entries.set(stream, entry, { size: 1 + earned.size + accruals.size + payouts.size });
    }
    return entry;
  }

  return {
    context,

    async look({ bot, userId }, what) {
      return what((await refresh(accountStream(bot, userId))).state);
    },

    async change({ bot, userId }, { needs, decide }, meta = {}) {
      const stream = accountStream(bot, userId);
      const pool = needs === undefined ? undefined : pools[needs.kind];
      const ids: number[] = [];
      try {
        for (let round = 1; ; round++) {
          let entry = await refresh(stream);
          let at = sources.now();
          // While ids are reserved the account may change, and with it how many are needed.
          for (let lack = lacking(entry, at); lack > 0; lack = lacking(entry, at)) {
            ids.push(...(await pool!.take(lack)));
            entry = await refresh(stream);
            at = sources.now();
          }
          const { state, head, position } = entry;
          const decision = decide(state, at, ids);
          if (decision instanceof Rejection) {
            // What was done once may no longer be possible: a repeat of it is answered as it was.
            const repeated = await repeatedBy(log, stream, meta, at);
            if (repeated === null) throw decision;
            return { events: repeated.events.map(account.read), position: repeated.position, repeated };
          }
          if (decision.length === 0) return { events: [], position, repeated: null };
          const events = decision.map(account.write);
          const used = new Set(decision.flatMap(idsOf));
          try {
            const commit = { id: sources.uuid(), stream, expected: head, at, events, ...meta };
            const appended = await log.append(commit);
            if (appended.repeated !== null)
              return { ...appended, events: appended.repeated.events.map(account.read), repeated: appended.repeated };
            remove(ids, used);
            return { events: decision, position: appended.position, repeated: null };
          } catch (error) {
            if (!(error instanceof ConflictError)) {
              remove(ids, used); // it may be in the log
              throw error;
            }
            if (round === MAX_ROUNDS) throw error;
          }
        }
      } finally {
        pool?.giveBack(ids);
      }

      function lacking(entry: Entry, now: number): number {
        return needs === undefined ? 0 : needs.count(entry.state, now) - ids.length;
      }
    },
  };
}

function fold(entry: Entry, commit: RecordedCommit): void {
  const { revision, hash, events, position } = commit;
  if (revision !== entry.head.revision + 1 || hash === null) return;
  entry.state = events.map(account.read).reduce(account.evolve, entry.state);
  entry.head = { revision, hash };
  entry.position = position;
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

function remove(ids: number[], used: ReadonlySet<number>): void {
  ids.splice(0, ids.length, ...ids.filter((id) => !used.has(id)));
}
