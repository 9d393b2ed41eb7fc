import type { Logger } from 'pino';
import type { CommandContext } from '../../commands/handle.ts';
import { type SendingEvent, type SendingState, sending } from '../../domain/broadcast/sending.ts';
import type { Decision } from '../../domain/decider.ts';
import { Rejection } from '../../domain/rejection.ts';
import { sendingStream } from '../../domain/streams.ts';
import { ConflictError, EMPTY_STREAM, LogUnavailableError, OutcomeUnknownError } from '../../log/port.ts';
import { pause } from '../../pause.ts';

/** What one sender writes about one broadcast: who is called, and what became of it. */
export interface Ledger {
  /** As of the last append. */
  readonly state: SendingState;
  /**
   * Decides on top of all that is in the stream and appends, however long the log is away.
   * @throws ReplacedError somebody else sends this broadcast now
   * @throws whatever the signal aborted for
   */
  append(decide: (state: SendingState) => Decision<SendingEvent>, signal: AbortSignal): Promise<void>;
}

/** Another sender has taken over. */
export class ReplacedError extends Error {
  override readonly name = 'ReplacedError';
}

const RETRY_MS = 250;
/** Commits that are in memory at once, some 300 bytes each. */
const PAGE = 2000;

export async function openLedger(
  { log, sources, logger }: CommandContext & { readonly logger: Logger },
  bot: string,
  broadcastId: number,
): Promise<Ledger> {
  const stream = sendingStream(bot, broadcastId);
  let state = sending.initialState();
  let head = EMPTY_STREAM;
  let certain = true;

  /** Reads what is new: after a restart all of it, which may be a commit for every few of a million recipients. */
  async function read(): Promise<void> {
    for (let count = PAGE; count === PAGE; ) {
      const page = await log.read(stream, head, PAGE);
      for (const { events } of page.commits) state = events.map(sending.read).reduce(sending.evolve, state);
      head = page.head;
      count = page.commits.length;
    }
  }

  async function tryAppend(decide: (state: SendingState) => Decision<SendingEvent>): Promise<void> {
    // Of what was appended last the outcome may be unknown: the log knows whether it is there.
    if (!certain) await read();
    certain = true;
    const decision = decide(state);
    if (decision instanceof Rejection) throw new ReplacedError(decision.message);
    if (decision.length === 0) return;
    const events = decision.map(sending.write);
    certain = false;
    const appended = await log.append({ id: sources.uuid(), stream, expected: head, at: sources.now(), events });
    // An attempt of the client's own that was thought lost is there as well: it is read, as all that is not certain.
    if (appended.repeated === null && appended.head !== null) {
      state = decision.reduce(sending.evolve, state);
      head = appended.head;
    } else await read();
    certain = true;
  }

  await read();
  return {
    get state() {
      return state;
    },
    async append(decide, signal) {
      for (;;) {
        try {
          return await tryAppend(decide);
        } catch (error) {
          const passing = [ConflictError, LogUnavailableError, OutcomeUnknownError].some(
            (kind) => error instanceof kind,
          );
          if (!passing) throw error;
          signal.throwIfAborted();
          if (error instanceof ConflictError) continue;
          logger.warn({ err: error, broadcast: broadcastId }, 'what was sent could not be noted, trying again');
          await pause(RETRY_MS, signal);
        }
      }
    },
  };
}
