import type { Logger } from 'pino';
import type { CommandContext } from '../../commands/decide-and-append.ts';
import { type BotPauseEvent, type BotPauseState, botPause } from '../../domain/broadcast/bot-pause.ts';
import { type SendingEvent, type SendingState, sending } from '../../domain/broadcast/sending.ts';
import type { Decider, Decision } from '../../domain/decider.ts';
import { Rejection } from '../../domain/rejection.ts';
import { botSendingStream, sendingStream } from '../../domain/streams.ts';
import { ConflictError, EMPTY_STREAM, LogUnavailableError, OutcomeUnknownError } from '../../log/port.ts';
import { pause } from '../../util/pause.ts';

/** Writes one stream and keeps its state in memory. */
export interface StreamWriter<State, Event> {
  /** As of the last append. */
  readonly state: State;
  /**
   * Decides on top of all that is in the stream and appends. While the log is unavailable it retries.
   * @throws ReplacedError the decision was a rejection: another sender sends this broadcast now
   * @throws the signal's reason
   */
  append(decide: (state: State) => Decision<Event>, signal: AbortSignal): Promise<void>;
}

/** Claims and outcomes of one broadcast. */
export type SendingWriter = StreamWriter<SendingState, SendingEvent>;
/** Until when the platform has told a bot to wait. */
export type PauseWriter = StreamWriter<BotPauseState, BotPauseEvent>;

/** Another sender has taken over. */
export class ReplacedError extends Error {
  override readonly name = 'ReplacedError';
}

const RETRY_MS = 250;
/** How many commits are read at once, of some 300 bytes each. */
const PAGE = 2000;

type WriterContext = CommandContext & { readonly logger: Logger };

export function openSendingWriter(context: WriterContext, bot: string, broadcastId: number): Promise<SendingWriter> {
  return open(context, sending, sendingStream(bot, broadcastId));
}

export function openPauseWriter(context: WriterContext, bot: string): Promise<PauseWriter> {
  return open(context, botPause, botSendingStream(bot));
}

async function open<State, Event>(
  { log, sources, logger }: WriterContext,
  { initialState, evolve, read: readEvent, write }: Decider<State, Event>,
  stream: string,
): Promise<StreamWriter<State, Event>> {
  let state = initialState();
  let head = EMPTY_STREAM;
  let certain = true;

  /** Reads new commits. After a restart these are all: for a million recipients, perhaps one for every few of them. */
  async function read(): Promise<void> {
    for (let count = PAGE; count === PAGE; ) {
      const page = await log.read(stream, head, PAGE);
      for (const { events } of page.commits) state = events.map(readEvent).reduce(evolve, state);
      head = page.head;
      count = page.commits.length;
    }
  }

  async function tryAppend(decide: (state: State) => Decision<Event>): Promise<void> {
    // The outcome of the last append may be unknown: then the log is read.
    if (!certain) await read();
    certain = true;
    const decision = decide(state);
    if (decision instanceof Rejection) throw new ReplacedError(decision.message);
    if (decision.length === 0) return;
    const events = decision.map(write);
    certain = false;
    const appended = await log.append({ id: sources.uuid(), stream, expected: head, at: sources.now(), events });
    // The engine's client may have repeated the append after all: then the stream is read instead.
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
          logger.warn({ err: error, stream }, 'failed to append claims and outcomes; retrying');
          await pause(RETRY_MS, signal);
        }
      }
    },
  };
}
