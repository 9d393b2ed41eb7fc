import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { account } from '../../domain/referral/account/account.ts';
import { applyClosing, type Closing, closeBooks } from '../../domain/referral/account/closing.ts';
import {
  accrualLookup,
  accrualOf,
  type BlockContents,
  contentsOf,
  type Lookup,
  notRecalled,
  Recalled,
  recall,
} from '../../domain/referral/account/recall.ts';
import type { AccountState, Accrual, ClosedBlock } from '../../domain/referral/account/state.ts';
import { accrualReversed } from '../../domain/referral/account-events.ts';
import { booksClosed } from '../../domain/referral/books-events.ts';
import { accountStream, booksStream } from '../../domain/streams.ts';
import {
  ConflictError,
  EMPTY_STREAM,
  type EventLog,
  LogUnavailableError,
  OutcomeUnknownError,
  type RecordedCommit,
  type StreamHead,
} from '../../log/port.ts';
import { type CommandContext, foldNext, nothingLoaded, type SharedCopy } from '../decide-and-append.ts';

/** The account of a user of a bot; `bot` is the bot's public key. */
export interface AccountKey {
  readonly bot: string;
  readonly userId: number;
}

/** An account in memory: folded from the last closing of its books on. */
export interface FoldedAccount extends SharedCopy<AccountState> {
  readonly key: AccountKey;
  /** The end of the books in the log. */
  books: StreamHead;
  /** Closings that the fold has made, and that the log has not yet. */
  readonly unwritten: Closing[];
  /** The append of these closings. */
  writing: Promise<void> | null;
}

/** Closings in memory at once: each has about 200 kB. */
const PAGE = 20;
/** Commits of a closed block in memory at once. */
const BLOCK_PAGE = 100;
/** Closed blocks in memory: rewards that are handed in again, and reversals, mostly need the same one. */
const MAX_BLOCKS = 4;

/** An account of which nothing has been read. */
export function nothingFolded(key: AccountKey): FoldedAccount {
  return { ...nothingLoaded(account), key, books: EMPTY_STREAM, unwritten: [], writing: null };
}

/** Folds accounts, from the closings of their books on. */
export class Books {
  private readonly blocks = new LRUCache<string, Promise<BlockContents>>({ max: MAX_BLOCKS });

  constructor(
    private readonly log: EventLog,
    /** The weight of a block (closing.ts). */
    private readonly blockWeight: number,
  ) {}

  /** The account as its closings have it. */
  async load(key: AccountKey): Promise<FoldedAccount> {
    const loaded = nothingFolded(key);
    for await (const { commit, closing } of closingsOf(this.log, key)) {
      applyClosing(loaded.state, closing);
      loaded.head = { revision: closing.revision, hash: closing.hash };
      // It follows the commits that it closes, in their partition.
      loaded.position = commit.position;
      loaded.books = { revision: commit.revision!, hash: commit.hash! };
    }
    return loaded;
  }

  /**
   * Folds a commit, as {@link foldNext}, and closes the open block if it is full. The closing depends only on the
   * commits, so every instance makes the same.
   */
  async fold(entry: FoldedAccount, commit: RecordedCommit): Promise<void> {
    if (commit.revision !== entry.head.revision + 1) return;
    const reversed = await this.reversedIn(entry, commit);
    // Another reader may have folded it in between.
    if (commit.revision !== entry.head.revision + 1) return;
    for (const [id, accrual] of reversed) entry.state.recalled.set(id, accrual);
    foldNext(account, entry, commit);
    entry.state.recalled.clear();
    if (entry.state.open.weight >= this.blockWeight) entry.unwritten.push(closeBooks(entry.state, entry.head));
  }

  /** Reads the entries that a decision looks for, from the closed blocks that may have them. */
  async lookUp(key: AccountKey, recalled: Recalled, lookups: readonly Lookup[]): Promise<void> {
    for (const lookup of lookups)
      for (const block of notRecalled(recalled, lookup))
        recall(recalled, lookup.name, block, await this.contents(key, block));
  }

  private contents({ bot, userId }: AccountKey, block: ClosedBlock): Promise<BlockContents> {
    const stream = accountStream(bot, userId);
    const name = `${stream} ${block.last.revision}`;
    const known = this.blocks.get(name);
    if (known !== undefined) return known;
    const read = readBlock(this.log, stream, block);
    this.blocks.set(name, read);
    read.catch(() => this.blocks.delete(name));
    return read;
  }

  /** The accruals of closed blocks that a commit reverses. */
  private async reversedIn({ key, state }: FoldedAccount, { events }: RecordedCommit): Promise<Map<number, Accrual>> {
    const reversed = new Map<number, Accrual>();
    for (const { type, data } of events.filter((each) => each.type === accrualReversed.type).map(account.read)) {
      if (type !== 'accrual_reversed') continue;
      const recalled = new Recalled();
      const lookup = accrualLookup(state, data.accrual_id);
      await this.lookUp(key, recalled, [lookup]);
      const accrual = accrualOf(state, recalled, data.accrual_id);
      if (accrual !== undefined && accrual !== 'compensation') reversed.set(data.accrual_id, accrual);
    }
    return reversed;
  }
}

/** Reads the closings of an account, page by page. @throws BrokenChainError, UnreadableEventError */
export async function* closingsOf(
  log: EventLog,
  { bot, userId }: AccountKey,
  from: StreamHead = EMPTY_STREAM,
): AsyncGenerator<{ readonly commit: RecordedCommit; readonly closing: Closing }> {
  let head = from;
  for (let read = PAGE; read === PAGE; ) {
    const slice = await log.read(booksStream(bot, userId), head, PAGE);
    read = slice.commits.length;
    head = slice.head;
    for (const commit of slice.commits)
      for (const event of commit.events) yield { commit, closing: booksClosed.read(event).data };
  }
}

/** Reads the entries of a closed block. */
async function readBlock(log: EventLog, stream: string, block: ClosedBlock): Promise<BlockContents> {
  const commits: RecordedCommit[] = [];
  for (let head: StreamHead = block.after; head.revision < block.last.revision; ) {
    const slice = await log.read(stream, head, Math.min(BLOCK_PAGE, block.last.revision - head.revision));
    if (slice.commits.length === 0) throw new Error(`${stream} ends before revision ${block.last.revision}`);
    commits.push(...slice.commits);
    head = slice.head;
  }
  return contentsOf(
    block,
    commits.flatMap(({ events }) => events.map((event) => account.read(event))),
  );
}

/** Another instance has closed the books at another commit. The caller must read the account again. */
export class OtherClosingError extends Error {
  override readonly name = 'OtherClosingError';
}

/**
 * Appends the closings of the fold that the log does not have. Concurrent callers for an account wait for the same append.
 * @throws OtherClosingError
 * @throws LogUnavailableError
 */
export async function closeBooksInLog(context: CommandContext, entry: FoldedAccount): Promise<void> {
  if (entry.unwritten.length === 0) return;
  entry.writing ??= append(context, entry).finally(() => {
    entry.writing = null;
  });
  await entry.writing;
}

async function append({ log, sources }: CommandContext, entry: FoldedAccount): Promise<void> {
  const stream = booksStream(entry.key.bot, entry.key.userId);
  for (let closing = entry.unwritten[0]; closing !== undefined; closing = entry.unwritten[0]) {
    const events = [booksClosed.create(closing)];
    try {
      const { head } = await log.append({
        id: sources.uuid(),
        stream,
        expected: entry.books,
        at: sources.now(),
        events,
      });
      entry.books = head!;
      entry.unwritten.shift();
    } catch (error) {
      // The caller's command has not begun, so the command is certainly not in the log.
      if (error instanceof OutcomeUnknownError)
        throw new LogUnavailableError(`${stream} may have a closing of revision ${closing.revision}`, { cause: error });
      if (!(error instanceof ConflictError)) throw error;
      await adopt({ log, sources }, entry);
    }
  }
}

/** Takes over the closings of another instance. They equal ours if both instances use the same block weight. */
async function adopt({ log }: CommandContext, entry: FoldedAccount): Promise<void> {
  for await (const { commit, closing } of closingsOf(log, entry.key, entry.books)) {
    if (entry.unwritten.length === 0) return;
    if (!isDeepStrictEqual(closing, entry.unwritten[0])) throw new OtherClosingError(commit.stream);
    entry.books = { revision: commit.revision!, hash: commit.hash! };
    entry.unwritten.shift();
  }
}
