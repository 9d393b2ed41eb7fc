import type { Logger } from 'pino';
import { isDatabaseDown } from '../../database/errors.ts';
import { abandonClaims } from '../../domain/broadcast/batches.ts';
import { pauseBot } from '../../domain/broadcast/bot-pause.ts';
import type { Messages } from '../../domain/broadcast/sending-message.ts';
import { hasRefused, reopenRefused } from '../../domain/broadcast/sending-reopened.ts';
import { TemplateError, type TemplateUser } from '../../domain/broadcast/template.ts';
import { Rejection } from '../../domain/rejection.ts';
import type { BotApi } from '../../platform/bot-api.ts';
import type { RecipientUser } from '../../queries/broadcast/recipient-users.ts';
import { pause } from '../../util/pause.ts';
import type { Failures, PlatformHealth } from './back-off.ts';
import { entriesOf } from './commit.ts';
import { BROKEN_CALL, type Delivery, deliver, endedWith, RETURNED } from './deliver.ts';
import { dueInMs, step } from './launch.ts';
import { beginLaunch, type LaunchEffect, type LaunchEnd, type LaunchInput, type LaunchPlan } from './launch-state.ts';
import { createLimiter } from './limiter.ts';
import { FIRST_REST_MS, type Permit, type SendQueue, type Source } from './send-queue.ts';
import { type PauseWriter, ReplacedError, type SendingWriter } from './stream-writer.ts';

/** The driver of a launch: it hands inputs to the reducer (launch.ts) and performs its effects. */

/** The plan of one launch of a broadcast, and the dependencies of its driver. */
export interface LaunchOptions extends Omit<LaunchPlan, 'opensAt' | 'message'> {
  readonly messages: Messages;
  /** The address in place of a link, for the recipient at a place. Null: the launch tracks no clicks. */
  readonly linkTo: ((place: number, link: number) => string) | null;
  readonly api: BotApi;
  readonly token: string;
  readonly queue: SendQueue;
  readonly health: PlatformHealth;
  /** Of the bot. */
  readonly pauses: PauseWriter;
  readonly failures: Failures;
  /** Finds those of these chats that are users of the bot. */
  readonly usersOf: (chats: readonly number[]) => Promise<ReadonlyMap<number, RecipientUser>>;
  /** Whether the broadcast is still to be sent. */
  readonly isSending: () => Promise<boolean>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly logger: Logger;
}

/** A cancellation stops the calls within a second. */
const CHECK_MS = 400;
/** A service that stops waits for answers no longer than this. */
const LAST_ANSWERS_MS = 5000;

type Call = Extract<LaunchEffect, { type: 'call' }>;
/** Effects that take time; they are performed one after the other. */
type Task = Extract<LaunchEffect, { type: 'record' | 'look_up' }>;

/**
 * Sends a broadcast to its recipients that were never attempted, until none is left or something ends it. An unexpected
 * error ends it too, after the answers to calls under way are in the log and the other recipients are released. So a bug
 * costs the recipients whose call it broke, not all that were claimed, at each attempt.
 * @param signal the service stops, or another instance sends for the bot
 * @throws ReplacedError
 */
export async function sendLaunch(
  options: LaunchOptions,
  writer: SendingWriter,
  signal: AbortSignal,
): Promise<LaunchEnd> {
  const { broadcastId, launch, sender, chats, messages, cap, queue, health, pauses, failures, elapsed } = options;
  const limiter = createLimiter(cap, elapsed());
  const opensAt = writer.state.attempted > 0 ? elapsed() + FIRST_REST_MS : queue.opensAt;
  limiter.restUntil(opensAt);
  await writer.append((state) => abandonClaims(state, broadcastId, sender), signal);
  while (hasRefused(writer.state, launch))
    await writer.append((state) => reopenRefused(state, broadcastId, launch), signal);

  const state = beginLaunch({ ...options, message: messages, opensAt }, writer.state, failures.isFailing);
  const wakeUp = createWakeUp();
  const deadline = abortedAfter(signal, LAST_ANSWERS_MS);
  const tasks: Task[] = [];
  /** Further calls about recipients whose first call was made. */
  let followUps: { readonly units: number; resolve(permit: Permit | null): void }[] = [];
  let ended = null as LaunchEnd | null;
  /** The driver has stopped, also by an error: no further call may begin. */
  let isOver = false;

  const source: Source = {
    limiter,
    units: () => followUps[0]?.units ?? (state.waiting.length === 0 ? 0 : messages.units),
    begin(permit) {
      const followUp = followUps.shift();
      if (followUp === undefined) give({ type: 'turn' }, permit);
      else followUp.resolve(permit);
    },
    rest: () => give({ type: 'rested' }),
  };
  const caller = {
    ...options,
    permit(units: number): Promise<Permit | null> {
      if (state.end !== null || isOver) return Promise.resolve(null);
      return new Promise((resolve) => {
        followUps.push({ units, resolve });
        queue.wake();
      });
    },
  };

  function give(input: LaunchInput, permit?: Permit): void {
    for (const effect of step(state, input, elapsed())) perform(effect, permit);
  }

  /** @param permit with an effect of a `turn` */
  function perform(effect: LaunchEffect, permit?: Permit): void {
    switch (effect.type) {
      case 'call':
        call(effect, permit!);
        return;
      case 'record':
      case 'look_up':
        tasks.push(effect);
        return;
      case 'rest':
        queue.rest(effect.ms);
        return;
      case 'stop':
        for (const { resolve } of followUps) resolve(null);
        followUps = [];
        return;
      case 'wake':
        wakeUp.wake();
        return;
      case 'recovered':
        failures.recovered();
        return;
      case 'end':
        ended = effect.end;
        return;
    }
  }

  function call({ claim, place, user, gapMs }: Call, permit: Permit): void {
    const now = elapsed();
    if (gapMs > 0) limiter.restUntil(now + gapMs);
    const answered = (delivery: Delivery): void =>
      give({ type: 'answered', claim, place, delivery, platform: health.status() });
    let parameters: object;
    try {
      parameters = parametersFor(place, user);
    } catch (error) {
      permit.taken.answered(now);
      permit.over();
      if (!(error instanceof TemplateError)) failed(error);
      answered(endedWith(error instanceof TemplateError ? templateFailed(error) : RETURNED));
      return;
    }
    deliver(caller, chats[place]!, parameters, permit)
      .then((delivery) => {
        if (delivery.fault !== null) failed(delivery.fault);
        health.learn(delivery);
        answered(delivery);
      })
      .catch((error: unknown) => {
        failed(error);
        answered(endedWith(BROKEN_CALL));
      });
  }

  /** @throws TemplateError */
  function parametersFor(place: number, user: TemplateUser): object {
    const message = messages.of(chats[place]!);
    const { linkTo } = options;
    if (linkTo === null || message.targets.length === 0) return message.parameters(user, state.files);
    const first = messages.firstLinkOf(message);
    return message.parameters(
      user,
      state.files,
      message.targets.map((_, index) => linkTo(place, first + index)),
    );
  }

  function failed(error: unknown): void {
    // Calls that were under way together fail for one reason: only the first failure counts.
    if (state.end?.type === 'broken') return;
    give({ type: 'failed', againMs: failures.failed(error) });
  }

  async function record({ entries, limited }: Extract<Task, { type: 'record' }>): Promise<void> {
    let wrote = false;
    try {
      // The bot's pause must be in the log before the launch that got the 429 can end.
      await pauses.append((bot) => pauseBot(bot, limited), deadline.signal);
      await writer.append((log) => {
        const decision = entriesOf(log, entries);
        wrote ||= !(decision instanceof Rejection) && decision.length > 0;
        return decision;
      }, deadline.signal);
    } catch (error) {
      if (error instanceof ReplacedError || deadline.signal.aborted) throw error;
      const isStopping = state.end !== null && signal.aborted;
      give({ type: 'not_appended', againMs: isStopping ? CHECK_MS : failures.failed(error) });
      return;
    }
    give({ type: 'appended', log: writer.state, wrote });
  }

  async function lookUp({ claim, chats }: Extract<Task, { type: 'look_up' }>): Promise<void> {
    const users = await options.usersOf(chats).catch(async (error: unknown) => {
      if (isDatabaseDown(error)) {
        options.logger.warn({ err: error, broadcast: broadcastId }, 'failed to look up recipients; releasing them');
        await pause(CHECK_MS, signal);
      } else failed(error);
      return null;
    });
    give({ type: 'found', claim, users, platform: health.status() });
    queue.wake();
  }

  async function checkCancelled(): Promise<void> {
    try {
      if (!(await options.isSending())) give({ type: 'cancelled' });
    } catch (error) {
      if (error instanceof ReplacedError || deadline.signal.aborted) throw error;
      failed(error);
    }
  }

  health.resumeAfter(pauses.state);
  const { paused } = writer.state;
  if (writer.state.launch === launch && typeof paused?.error === 'string') health.doubt(paused.error);
  const { waitMs } = health.status();
  if (waitMs > 0) queue.rest(waitMs);
  queue.add(source);
  try {
    for (let checkedAt = Number.NEGATIVE_INFINITY; ; ) {
      if (signal.aborted) give({ type: 'aborted' });
      if (deadline.signal.aborted) give({ type: 'expired' });
      if (state.end === null && elapsed() - checkedAt >= CHECK_MS) {
        checkedAt = elapsed();
        await checkCancelled();
      }
      give({ type: 'due', platform: health.status() });
      for (let task = tasks.shift(); task !== undefined; task = tasks.shift())
        await (task.type === 'record' ? record(task) : lookUp(task));
      if (ended !== null) return ended;
      await wakeUp.sleep(dueInMs(state, elapsed()));
    }
  } finally {
    isOver = true;
    deadline.forget();
    perform({ type: 'stop' });
    queue.remove(source);
  }
}

function templateFailed(error: TemplateError): Delivery['answer'] {
  return { outcome: 'not_delivered', reason: `the template failed: ${error.message}`, without_call: true };
}

/** Wakes one sleeper. An AbortController would cost an error object and two listeners for every message. */
interface WakeUp {
  /** Wakes the sleeper. If none, the next `sleep()` returns at once. */
  wake(): void;
  /** Resolves after `ms` or at `wake()`. Only one may sleep at a time. */
  sleep(ms: number): Promise<void>;
}

function createWakeUp(): WakeUp {
  let isDue = false;
  let sleeper: (() => void) | null = null;
  return {
    wake() {
      isDue = true;
      sleeper?.();
    },
    sleep(ms) {
      if (isDue) {
        isDue = false;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const timer = setTimeout(awake, ms);
        sleeper = awake;
        function awake(): void {
          clearTimeout(timer);
          sleeper = null;
          isDue = false;
          resolve();
        }
      });
    },
  };
}

/** A signal that aborts `ms` after another one. */
function abortedAfter(signal: AbortSignal, ms: number): { readonly signal: AbortSignal; forget(): void } {
  const later = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => later.abort(), ms);
  };
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return {
    signal: later.signal,
    forget() {
      signal.removeEventListener('abort', begin);
      clearTimeout(timer);
    },
  };
}
