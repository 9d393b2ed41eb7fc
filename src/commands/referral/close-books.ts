import { isDeepStrictEqual } from 'node:util';
import { booksClosed } from '../../domain/referral/books-events.ts';
import { booksStream } from '../../domain/streams.ts';
import { ConflictError, LogUnavailableError, OutcomeUnknownError } from '../../log/port.ts';
import type { CommandContext } from '../decide-and-append.ts';
import { closingsOf, type FoldedAccount } from './books.ts';

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
