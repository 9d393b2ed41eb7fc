import type { Logger } from 'pino';
import type { CommandContext } from '../../commands/decide-and-append.ts';
import { type BotPauseEvent, type BotPauseState, botPause } from '../../domain/broadcast/bot-pause.ts';
import { type SendingEvent, type SendingState, sending } from '../../domain/broadcast/sending.ts';
import type { Decider, Decision } from '../../domain/decider.ts';
import { Rejection } from '../../domain/rejection.ts';
import { botSendingStream, sendingStream } from '../../domain/streams.ts';
import { ConflictError, EMPTY_STREAM, LogUnavailableError, OutcomeUnknownError } from '../../log/port.ts';
import { pause } from '../../util/pause.ts';

/** A stream that a sender writes. */
export interface Ledger<State, Event> {
  /** As of the last append. */
  readonly state: State;
  /**
   * Decides on top of all that is in the stream and appends, however long the log is away.
   * @throws ReplacedError somebody else sends this broadcast now
   * @throws whatever the signal aborted for
   */
  append(decide: (state: State) => Decision<Event>, signal: AbortSignal): Promise<void>;
}

/** Who is called about one broadcast, and what became of the calls. */
export type SendingLedger = Ledger<SendingState, SendingEvent>;
/** Until when the platform wants no calls of a bot. */
export type PauseLedger = Ledger<BotPauseState, BotPauseEvent>;

/** Another sender has taken over. */
export class ReplacedError extends Error {
  override readonly name = 'ReplacedError';
}

const RETRY_MS = 250;
/** Commits that are in memory at once, some 300 bytes each. */
const PAGE = 2000;

type LedgerContext = CommandContext & { readonly logger: Logger };

export function openLedger(context: LedgerContext, bot: string, broadcastId: number): Promise<SendingLedger> {
  return open(context, sending, sendingStream(bot, broadcastId));
}

export function openPauseLedger(context: LedgerContext, bot: string): Promise<PauseLedger> {
  return open(context, botPause, botSendingStream(bot));
}

async function open<State, Event>(
  { log, sources, logger }: LedgerContext,
  { initialState, evolve, read: readEvent, write }: Decider<State, Event>,
  stream: string,
): Promise<Ledger<State, Event>> {
  let state = initialState();
  let head = EMPTY_STREAM;
  let certain = true;

  /** Reads what is new: after a restart all of it, which may be a commit for every few of a million recipients. */
  async function read(): Promise<void> {
    for (let count = PAGE; count === PAGE; ) {
      const page = await log.read(stream, head, PAGE);
      for (const { events } of page.commits) state = events.map(readEvent).reduce(evolve, state);
      head = page.head;
      count = page.commits.length;
    }
  }

  async function tryAppend(decide: (state: State) => Decision<Event>): Promise<void> {
    // Of what was appended last the outcome may be unknown: the log knows whether it is there.
    if (!certain) await read();
    certain = true;
    const decision = decide(state);
    if (decision instanceof Rejection) throw new ReplacedError(decision.message);
    if (decision.length === 0) return;
    const events = decision.map(write);
    certain = false;
    const appended = await log.append({ id: sources.uuid(), stream, expected: head, at: sources.now(), events });
    // An attempt of the client's own that was thought lost is there as well: it is read, as all that is not certain.
    if (appended.repeated === null && appended.head !== null) {
      state = decision.reduce(evolve, state);
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
          logger.warn({ err: error, stream }, 'failed to append what was sent; retrying');
          await pause(RETRY_MS, signal);
        }
      }
    },
  };
}
