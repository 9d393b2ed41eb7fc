import type { Logger } from 'pino';
import type { BroadcastName } from '../../commands/broadcast/change.ts';
import { isDatabaseDown } from '../../database/errors.ts';
import {
  type Answered,
  abandonClaims,
  answerBatch,
  claimBatch,
  isAllAttempted,
  isBeginning,
  isMessageRefused,
  openPlaces,
  pauseSending,
  resumeSending,
  type SendingEvent,
  type SendingState,
} from '../../domain/broadcast/sending.ts';
import type { Message } from '../../domain/broadcast/sending-message.ts';
import { TemplateError, type TemplateUser } from '../../domain/broadcast/template.ts';
import type { Decision } from '../../domain/decider.ts';
import { Rejection } from '../../domain/rejection.ts';
import { pause } from '../../pause.ts';
import type { BotApi } from '../../platform/bot-api.ts';
import type { RecipientUser } from '../../queries/broadcast/recipient-users.ts';
import { createAnswers } from './answers.ts';
import { createBell } from './bell.ts';
import { createBudget } from './budget.ts';
import { type Delivery, deliver } from './deliver.ts';
import type { Lane } from './lane.ts';
import type { Ledger } from './ledger.ts';
import { createLimiter } from './limiter.ts';
import { createOutbox, type Permit, type Waiting } from './outbox.ts';
import type { Trouble } from './trouble.ts';

/** Why sending has ended; nothing is on its way any more. */
export type LaunchEnd =
  | { readonly type: 'finished' | 'cancelled' | 'interrupted' }
  | { readonly type: 'stopped' | 'failed'; readonly error: string };

export interface LaunchOptions {
  readonly name: BroadcastName;
  readonly launch: number;
  /** Names this run of the sender. */
  readonly sender: string;
  /** The frozen audience. */
  readonly chats: readonly number[];
  readonly message: Message;
  /** Units a second. */
  readonly cap: number;
  readonly onLimit: { readonly stop: boolean; readonly extraDelay: number };
  readonly api: BotApi;
  readonly token: string;
  readonly lane: Lane;
  readonly trouble: Trouble;
  /** Those of these chats that are users of the bot. */
  readonly usersOf: (chats: readonly number[]) => Promise<ReadonlyMap<number, RecipientUser>>;
  /** Whether the broadcast is still to be sent. */
  readonly isSending: () => Promise<boolean>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly logger: Logger;
}

/** Whoever was claimed and has waited for so long is given back: a claim holds for a second. */
const STALE_MS = 1000;
const LOOK_MS = 200;
/** How often it is looked whether there is anything to write down, unless something happens. */
const BOOKS_MS = 100;
/** A service that stops waits no longer for answers. */
const LAST_ANSWERS_MS = 5000;

/** What the platform would answer, if it were called. */
const UNREACHABLE = {
  blocked: 'Forbidden: bot was blocked by the user',
  deactivated: 'Forbidden: user is deactivated',
} as const;

/**
 * Sends a broadcast to those who were never attempted, until there is nobody left or something ends it.
 * @param signal who sends is to stop, or is not the sender any more
 * @throws ReplacedError
 */
export async function sendLaunch(options: LaunchOptions, ledger: Ledger, signal: AbortSignal): Promise<LaunchEnd> {
  const { name, launch, sender, chats, message, cap, onLimit, lane, trouble, elapsed, logger } = options;
  const budget = createBudget(cap, message.units);
  const answers = createAnswers();
  const files = new Map(ledger.state.files);
  const users = new Map<number, TemplateUser>();
  /** By place: when the call began. */
  const calls = new Map<number, number>();
  let begun: number[] = [];
  let learned: { url: string; file_id: string }[] = [];
  let unreachable: { user_id: number; user_status: 'blocked' | 'deactivated' }[] = [];
  let limited = ledger.state.launch === launch && ledger.state.limited;
  let adopted = ledger.state.lastClaim;
  let end: LaunchEnd | null = null;
  const bell = createBell();

  const limiter = createLimiter(cap, elapsed());
  const outbox = createOutbox(limiter, message.units, lane.wake, send);

  function send({ claim, place }: Waiting, permit: Permit): void {
    const now = elapsed();
    calls.set(place, now);
    begun.push(now);
    if (limited && onLimit.extraDelay > 0) limiter.restUntil(now + onLimit.extraDelay);
    const parameters = parametersFor(place);
    if (typeof parameters === 'string') {
      permit.taken.answered(now);
      permit.over();
      answered(claim, { place, outcome: 'not_delivered', reason: parameters, without_call: true });
      return;
    }
    const courier = {
      ...options,
      isRecipient: (chat: number) => hasChat(chats, chat),
      permit: (units: number) => outbox.permit(units),
    };
    deliver(courier, chats[place]!, parameters, permit).then(
      (delivery) => delivered(claim, place, delivery),
      (error: unknown) => {
        logger.error({ err: error, broadcast: name.id }, 'a recipient could not be sent to');
        answered(claim, { place, outcome: 'unknown', reason: 'the service failed while sending' });
      },
    );
  }

  /** A text: why there is nothing to send to this recipient. */
  function parametersFor(place: number): object | string {
    try {
      return message.parameters(users.get(place) ?? {}, files);
    } catch (error) {
      if (error instanceof TemplateError) return `the template failed: ${error.message}`;
      throw error;
    }
  }

  function delivered(claim: number, place: number, { answer, files: sent, userStatus, trouble: met }: Delivery): void {
    for (const { url, file_id } of sent) files.set(url, file_id);
    learned.push(...sent);
    if (userStatus !== null) unreachable.push({ user_id: chats[place]!, user_status: userStatus });
    if (met?.type === 'not_sent') trouble.unreachable(met.reason);
    else if (answer.outcome !== 'unknown') trouble.reached();
    if (met?.type === 'limited') {
      trouble.limited(met.retryAfterMs);
      limited = true;
      if (onLimit.stop) end ??= { type: 'stopped', error: 'the platform limits the rate (429)' };
    }
    if (met?.type === 'unauthorized') end ??= { type: 'failed', error: `the bot’s token is refused: ${met.reason}` };
    if (trouble.wait() > 0) {
      lane.rest(trouble.wait());
      bell.ring();
    }
    answered(claim, { place, ...answer });
  }

  function answered(claim: number, answer: Answered): void {
    calls.delete(answer.place);
    users.delete(answer.place);
    const isWhole = answers.add(claim, answer, elapsed()) >= openOf(claim);
    if (isWhole || end !== null) bell.ring();
  }

  function openOf(claim: number): number {
    return ledger.state.claims.get(claim)?.open.size ?? 0;
  }

  function giveBack(waiting: readonly Waiting[]): void {
    for (const { claim, place } of waiting) answered(claim, { place, outcome: 'returned', reason: null });
  }

  /** Recipients that a kill -9 would cost now, but for calls that have been waiting for long. */
  function atRisk(now: number): number {
    let waiting = 0;
    for (const since of calls.values()) if (now - since > STALE_MS) waiting++;
    return openPlaces(ledger.state) - waiting;
  }

  /** Writes down what is known, and claims who comes next. @returns whether there was anything to write */
  async function keepBooks(until: AbortSignal): Promise<boolean> {
    const now = elapsed();
    const taken = answers.take(openOf, now, end !== null);
    const count = [...taken.values()].reduce((sum, { length }) => sum + length, 0);
    const [newFiles, marks] = [learned, unreachable];
    learned = [];
    unreachable = [];
    const open = atRisk(now) - count;
    const careful =
      trouble.probing || (message.urls.some((url) => !files.has(url)) && isBeginning(ledger.state, launch));
    const room = careful ? (open === 0 ? 1 : 0) : budget.room(open, now);
    const wanted = end === null && trouble.wait() <= 0 ? room : 0;
    const before = ledger.state.lastClaim;
    let wrote = false;
    await ledger.append((state) => {
      const decision = decide(state, taken, newFiles, marks, wanted);
      wrote ||= !(decision instanceof Rejection) && decision.length > 0;
      return decision;
    }, until);
    if (ledger.state.lastClaim > before) await adopt();
    return wrote;
  }

  function decide(
    state: SendingState,
    taken: ReadonlyMap<number, readonly Answered[]>,
    newFiles: readonly { url: string; file_id: string }[],
    marks: readonly { user_id: number; user_status: 'blocked' | 'deactivated' }[],
    wanted: number,
  ): Decision<SendingEvent> {
    for (const claim of state.claims.values())
      if (claim.sender !== sender) return new Rejection('conflict', 'sender', 'somebody else sends this broadcast');
    const events: SendingEvent[] = [];
    for (const [claim, list] of taken) {
      const decision = answerBatch(state, name.id, claim, list, events.length === 0 ? newFiles : []);
      if (decision instanceof Rejection) return decision;
      events.push(...decision);
    }
    if (marks.length > 0) events.push({ type: 'users_unreachable', data: { users: [...marks] } });
    const paused = trouble.pause() ?? (limited && !state.limited ? { until: null, error: null } : null);
    events.push(
      ...(paused === null
        ? resumeSending(state, name.id)
        : pauseSending(state, name.id, launch, { ...paused, limited })),
    );
    if (wanted === 0) return events;
    const claimed = claimBatch(state, {
      broadcast_id: name.id,
      launch,
      sender,
      audience: chats.length,
      count: wanted,
    });
    return claimed instanceof Rejection ? claimed : [...events, ...claimed];
  }

  /** Puts the recipients of new claims in line, but for those of whom it is known that they cannot be reached. */
  async function adopt(): Promise<void> {
    for (; adopted < ledger.state.lastClaim; adopted++) {
      const claim = adopted + 1;
      const places = [...(ledger.state.claims.get(claim)?.open ?? [])];
      const known = await lookUp(places);
      const since = elapsed();
      const waiting = places.map((place) => ({ claim, place, since }));
      if (known === null) {
        giveBack(waiting);
        continue;
      }
      const reachable = waiting.filter(({ place }) => {
        const user = known.get(chats[place]!);
        if (user !== undefined) users.set(place, user.fields);
        if (user === undefined || user.status === 'active') return true;
        answered(claim, { place, outcome: 'not_delivered', reason: UNREACHABLE[user.status], without_call: true });
        return false;
      });
      outbox.put(reachable);
    }
  }

  async function lookUp(places: readonly number[]): Promise<ReadonlyMap<number, RecipientUser> | null> {
    try {
      return await options.usersOf(places.map((place) => chats[place]!));
    } catch (error) {
      if (!isDatabaseDown(error)) throw error;
      logger.warn({ err: error, broadcast: name.id }, 'recipients cannot be looked up, they are given back');
      await pause(LOOK_MS, signal);
      return null;
    }
  }

  await ledger.append((state) => abandonClaims(state, name.id, sender), signal);
  adopted = ledger.state.lastClaim;
  const { paused } = ledger.state;
  if (paused !== null && paused.until !== null) trouble.limitedUntil(paused.until);
  if (trouble.wait() > 0) lane.rest(trouble.wait());
  lane.add(outbox);
  const deadline = abortedAfter(signal, LAST_ANSWERS_MS);
  try {
    for (let lookedAt = Number.NEGATIVE_INFINITY; ; ) {
      const now = elapsed();
      if (signal.aborted) end ??= { type: 'interrupted' };
      if (end === null && now - lookedAt >= LOOK_MS) {
        lookedAt = now;
        if (!(await options.isSending())) end = { type: 'cancelled' };
      }
      if (end === null && isMessageRefused(ledger.state, launch)) end = { type: 'failed', error: MESSAGE_REFUSED };
      if (end === null && isAllAttempted(ledger.state, chats.length)) end = { type: 'finished' };
      takeBack(now);
      const wrote = await keepBooks(deadline.signal);
      if (end !== null && calls.size === 0 && answers.size === 0) return end;
      if (deadline.signal.aborted) return end ?? { type: 'interrupted' };
      if (wrote) continue;
      await bell.sleep(BOOKS_MS);
    }
  } finally {
    deadline.forget();
    outbox.close();
    lane.remove(outbox);
  }

  /** Gives back who is claimed and will not be called now. */
  function takeBack(now: number): void {
    if (end !== null) outbox.close();
    begun = begun.filter((since) => now - since < STALE_MS);
    const nothing = end !== null || trouble.wait() > 0;
    const back = outbox.takeBack(nothing ? Number.POSITIVE_INFINITY : now - STALE_MS);
    if (back.length === 0) return;
    if (!nothing) budget.slowed(begun.length, now);
    giveBack(back);
  }
}

/** A signal that aborts so long after another one. */
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

const MESSAGE_REFUSED = 'the platform refuses the message: see the reasons of the first recipients';

/** @param chats ascending */
function hasChat(chats: readonly number[], chat: number): boolean {
  let [low, high] = [0, chats.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (chats[middle] === chat) return true;
    if (chats[middle]! < chat) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
