import type { Logger } from 'pino';
import { type CommandContext, decideAndAppend, type Loaded, nothingLoaded } from '../../commands/decide-and-append.ts';
import { type BotPauseEvent, type BotPauseState, botPause } from '../../domain/broadcast/bot-pause.ts';
import { type SendingEvent, type SendingState, sending } from '../../domain/broadcast/sending.ts';
import type { Decider, Decision } from '../../domain/decider.ts';
import { Rejection } from '../../domain/rejection.ts';
import { botSendingStream, sendingStream } from '../../domain/streams.ts';
import { isPassing } from '../../log/is-passing.ts';
import { ConflictError } from '../../log/port.ts';
import { pause } from '../../util/pause.ts';

/** Writes one stream and keeps its state in memory. */
interface StreamWriter<State, Event> {
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
/** How many commits are read at once, of about 300 bytes each. */
const PAGE = 2000;

type WriterContext = CommandContext & { readonly logger: Logger };

export function openSendingWriter(context: WriterContext, bot: string, broadcastId: number): Promise<SendingWriter> {
  return open(context, sending, sendingStream(bot, broadcastId));
}

export function openPauseWriter(context: WriterContext, bot: string): Promise<PauseWriter> {
  return open(context, botPause, botSendingStream(bot));
}

async function open<State, Event>(
  context: WriterContext,
  decider: Decider<State, Event>,
  stream: string,
): Promise<StreamWriter<State, Event>> {
  const { log, logger } = context;
  let loaded: Loaded<State> = nothingLoaded(decider);
  /** Whether `loaded` has all that this writer has appended; the outcome of its last append may be unknown. */
  let isCurrent = false;

  /** Reads new commits. After a restart these are all: for a million recipients, perhaps one for every few of them. */
  async function read(): Promise<Loaded<State>> {
    for (let count = PAGE; count === PAGE; ) {
      const { commits, head } = await log.read(stream, loaded.head, PAGE);
      const events = commits.flatMap((commit) => commit.events.map(decider.read));
      const position = commits.at(-1)?.position ?? loaded.position;
      loaded = { state: events.reduce(decider.evolve, loaded.state), head, position };
      count = commits.length;
    }
    return loaded;
  }

  async function append(decide: (state: State) => Decision<Event>, signal: AbortSignal): Promise<void> {
    const known = isCurrent ? loaded : undefined;
    isCurrent = false;
    const onFailure = (error: unknown): Promise<void> => retry(error, signal);
    const { events, head, position, repeated } = await decideAndAppend(context, decider, stream, decide, {
      read,
      known,
      onFailure,
    });
    // The engine's client has repeated the append by itself: the stream has these events, perhaps among others.
    if (repeated !== null || head === null) return append(() => [], signal);
    if (events.length > 0) loaded = { state: events.reduce(decider.evolve, loaded.state), head, position };
    isCurrent = true;
  }

  async function retry(error: unknown, signal: AbortSignal): Promise<void> {
    if (error instanceof Rejection) throw new ReplacedError(error.message);
    if (!isPassing(error)) throw error;
    signal.throwIfAborted();
    if (error instanceof ConflictError) return;
    logger.warn({ err: error, stream }, 'failed to append claims and outcomes; retrying');
    await pause(RETRY_MS, signal);
  }

  await read();
  isCurrent = true;
  return {
    get state() {
      return loaded.state;
    },
    append,
  };
}
