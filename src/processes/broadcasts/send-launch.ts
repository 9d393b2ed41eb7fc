import type { Logger } from 'pino';
import { isDatabaseDown } from '../../database/database-errors.ts';
import { abandonClaims } from '../../domain/broadcast/batches.ts';
import { pauseBot } from '../../domain/broadcast/bot-pause.ts';
import type { Messages } from '../../domain/broadcast/sending-message.ts';
import { hasRefused, reopenRefused } from '../../domain/broadcast/sending-reopened.ts';
import { TemplateError, type TemplateUser } from '../../domain/broadcast/template.ts';
import { Rejection } from '../../domain/rejection.ts';
import type { BotApi } from '../../platform/bot-api.ts';
import type { RecipientUser } from '../../queries/broadcast/recipient-users.ts';
import { pause } from '../../util/pause.ts';
import { abortedAfter } from './aborted-after.ts';
import { entriesOf } from './commit.ts';
import { BROKEN_CALL, type Caller, type Delivery, deliver, endedWith, RETURNED } from './deliver.ts';
import type { Failures } from './failures.ts';
import { dueInMs, step } from './launch.ts';
import {
  beginLaunch,
  type Launch,
  type LaunchEffect,
  type LaunchEnd,
  type LaunchInput,
  type LaunchPlan,
} from './launch-state.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import type { PlatformHealth } from './platform-health.ts';
import { FIRST_REST_MS, type Permit, type SendQueue, type Source } from './send-queue.ts';
import { type PauseWriter, ReplacedError, type SendingWriter } from './stream-writer.ts';
import { createWakeUp } from './wake-up.ts';

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
  /** Finds which of these chats are users of the bot. */
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
  const { broadcastId, launch, sender, queue, elapsed } = options;
  const opensAt = writer.state.attempted > 0 ? elapsed() + FIRST_REST_MS : queue.opensAt;
  await writer.append((state) => abandonClaims(state, broadcastId, sender), signal);
  while (hasRefused(writer.state, launch))
    await writer.append((state) => reopenRefused(state, broadcastId, launch), signal);
  return new LaunchDriver(options, writer, signal, opensAt).run();
}

/** Takes the turns of the bot's send queue for one launch. */
class LaunchDriver implements Source {
  readonly limiter: Limiter;
  private readonly state: Launch;
  private readonly wakeUp = createWakeUp();
  private readonly deadline: ReturnType<typeof abortedAfter>;
  private readonly tasks: Task[] = [];
  private readonly caller: Caller;
  /** Further calls about recipients whose first call was made. */
  private followUps: { readonly units: number; resolve(permit: Permit | null): void }[] = [];
  private ended: LaunchEnd | null = null;
  /** The driver has stopped, also by an error: no further call may begin. */
  private isOver = false;

  constructor(
    private readonly options: LaunchOptions,
    private readonly writer: SendingWriter,
    private readonly signal: AbortSignal,
    opensAt: number,
  ) {
    const { cap, elapsed, messages, failures } = options;
    this.limiter = createLimiter(cap, elapsed());
    this.limiter.restUntil(opensAt);
    this.state = beginLaunch({ ...options, message: messages, opensAt }, writer.state, failures.isFailing);
    this.deadline = abortedAfter(signal, LAST_ANSWERS_MS);
    this.caller = { ...options, permit: (units) => this.permit(units) };
  }

  async run(): Promise<LaunchEnd> {
    const { launch, queue, health, pauses, elapsed } = this.options;
    const { state, tasks, deadline } = this;
    health.resumeAfter(pauses.state);
    const { paused } = this.writer.state;
    if (this.writer.state.launch === launch && typeof paused?.error === 'string') health.doubt(paused.error);
    const { waitMs } = health.status();
    if (waitMs > 0) queue.rest(waitMs);
    queue.add(this);
    try {
      for (let checkedAt = Number.NEGATIVE_INFINITY; ; ) {
        if (this.signal.aborted) this.give({ type: 'aborted' });
        if (deadline.signal.aborted) this.give({ type: 'expired' });
        if (state.end === null && elapsed() - checkedAt >= CHECK_MS) {
          checkedAt = elapsed();
          await this.checkCancelled();
        }
        this.give({ type: 'due', platform: health.status() });
        for (let task = tasks.shift(); task !== undefined; task = tasks.shift())
          await (task.type === 'record' ? this.record(task) : this.lookUp(task));
        if (this.ended !== null) return this.ended;
        await this.wakeUp.sleep(dueInMs(state, elapsed()));
      }
    } finally {
      this.isOver = true;
      deadline.forget();
      this.perform({ type: 'stop' });
      queue.remove(this);
    }
  }

  units(): number {
    return this.followUps[0]?.units ?? (this.state.waiting.length === 0 ? 0 : this.options.messages.units);
  }

  begin(permit: Permit): void {
    const followUp = this.followUps.shift();
    if (followUp === undefined) this.give({ type: 'turn' }, permit);
    else followUp.resolve(permit);
  }

  rest(): void {
    this.give({ type: 'rested' });
  }

  private permit(units: number): Promise<Permit | null> {
    if (this.state.end !== null || this.isOver) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.followUps.push({ units, resolve });
      this.options.queue.wake();
    });
  }

  private give(input: LaunchInput, permit?: Permit): void {
    for (const effect of step(this.state, input, this.options.elapsed())) this.perform(effect, permit);
  }

  /** @param permit with an effect of a `turn` */
  private perform(effect: LaunchEffect, permit?: Permit): void {
    switch (effect.type) {
      case 'call':
        this.call(effect, permit!);
        return;
      case 'record':
      case 'look_up':
        this.tasks.push(effect);
        return;
      case 'rest':
        this.options.queue.rest(effect.ms);
        return;
      case 'stop':
        for (const { resolve } of this.followUps) resolve(null);
        this.followUps = [];
        return;
      case 'wake':
        this.wakeUp.wake();
        return;
      case 'recovered':
        this.options.failures.recovered();
        return;
      case 'end':
        this.ended = effect.end;
        return;
    }
  }

  private call({ claim, place, user, gapMs }: Call, permit: Permit): void {
    const { elapsed, health, chats } = this.options;
    const now = elapsed();
    if (gapMs > 0) this.limiter.restUntil(now + gapMs);
    const answered = (delivery: Delivery): void =>
      this.give({ type: 'answered', claim, place, delivery, platform: health.status() });
    let parameters: object;
    try {
      parameters = this.parametersFor(place, user);
    } catch (error) {
      permit.taken.answered(now);
      permit.over();
      if (!(error instanceof TemplateError)) this.failed(error);
      answered(endedWith(error instanceof TemplateError ? templateFailed(error) : RETURNED));
      return;
    }
    deliver(this.caller, chats[place]!, parameters, permit)
      .then((delivery) => {
        if (delivery.fault !== null) this.failed(delivery.fault);
        health.learn(delivery);
        answered(delivery);
      })
      .catch((error: unknown) => {
        this.failed(error);
        answered(endedWith(BROKEN_CALL));
      });
  }

  /** @throws TemplateError */
  private parametersFor(place: number, user: TemplateUser): object {
    const { messages, chats, linkTo } = this.options;
    const { files } = this.state;
    const message = messages.of(chats[place]!);
    if (linkTo === null || message.targets.length === 0) return message.parameters(user, files);
    const first = messages.firstLinkOf(message);
    return message.parameters(
      user,
      files,
      message.targets.map((_, index) => linkTo(place, first + index)),
    );
  }

  private failed(error: unknown): void {
    // Calls that were under way together fail for one reason: only the first failure counts.
    if (this.state.end?.type === 'broken') return;
    this.give({ type: 'failed', againMs: this.options.failures.failed(error) });
  }

  private async record({ entries, limited }: Extract<Task, { type: 'record' }>): Promise<void> {
    const { pauses, failures } = this.options;
    const { signal } = this.deadline;
    let wrote = false;
    try {
      // The bot's pause must be in the log before the launch that got the 429 can end.
      await pauses.append((bot) => pauseBot(bot, limited), signal);
      await this.writer.append((log) => {
        const decision = entriesOf(log, entries);
        wrote ||= !(decision instanceof Rejection) && decision.length > 0;
        return decision;
      }, signal);
    } catch (error) {
      if (error instanceof ReplacedError || signal.aborted) throw error;
      const isStopping = this.state.end !== null && this.signal.aborted;
      this.give({ type: 'not_appended', againMs: isStopping ? CHECK_MS : failures.failed(error) });
      return;
    }
    this.give({ type: 'appended', log: this.writer.state, wrote });
  }

  private async lookUp({ claim, chats }: Extract<Task, { type: 'look_up' }>): Promise<void> {
    const { usersOf, logger, broadcastId, health, queue } = this.options;
    const users = await usersOf(chats).catch(async (error: unknown) => {
      if (isDatabaseDown(error)) {
        logger.warn({ err: error, broadcast: broadcastId }, 'failed to look up recipients; releasing them');
        await pause(CHECK_MS, this.signal);
      } else this.failed(error);
      return null;
    });
    this.give({ type: 'found', claim, users, platform: health.status() });
    queue.wake();
  }

  private async checkCancelled(): Promise<void> {
    try {
      if (!(await this.options.isSending())) this.give({ type: 'cancelled' });
    } catch (error) {
      if (error instanceof ReplacedError || this.deadline.signal.aborted) throw error;
      this.failed(error);
    }
  }
}

function templateFailed(error: TemplateError): Delivery['answer'] {
  return { outcome: 'not_delivered', reason: `the template failed: ${error.message}`, without_call: true };
}
