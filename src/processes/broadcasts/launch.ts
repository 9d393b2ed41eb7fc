import { isDatabaseDown } from '../../database/errors.ts';
import { pauseBot } from '../../domain/broadcast/bot-pause.ts';
import {
  type Answered,
  abandonClaims,
  isAllAttempted,
  isBeginning,
  isMessageRefused,
  openPlaces,
} from '../../domain/broadcast/sending.ts';
import { hasRefused, reopenRefused } from '../../domain/broadcast/sending-reopened.ts';
import { TemplateError, type TemplateUser } from '../../domain/broadcast/template.ts';
import { Rejection } from '../../domain/rejection.ts';
import type { RecipientUser } from '../../queries/broadcast/recipient-users.ts';
import { pause } from '../../util/pause.ts';
import { createAnswers } from './answers.ts';
import { createBell } from './bell.ts';
import { createBudget } from './budget.ts';
import { abortedAfter } from './deadline.ts';
import { BROKEN_CALL, type Delivery, deliver } from './deliver.ts';
import { entriesOf } from './entries.ts';
import { hasChat } from './has-chat.ts';
import { FIRST_REST_MS } from './lane.ts';
import type { LaunchEnd, LaunchOptions } from './launch-options.ts';
import { ReplacedError, type SendingLedger } from './ledger.ts';
import { createLimiter } from './limiter.ts';
import { createOutbox, type Permit, type Waiting } from './outbox.ts';

/** Whoever was claimed and has waited for so long is given back: a claim holds for a second. */
const STALE_MS = 1000;
/** Not so who is next: somebody is always claimed, and an album may wait for its turn for some twenty seconds. */
const STALE_NEXT_MS = 30_000;
/** A cancellation stops the calls within a second. */
const LOOK_MS = 400;
/** How often it is looked whether there is anything to write down, unless something happens. */
const BOOKS_MS = 100;
/** A service that stops waits no longer for answers. */
const LAST_ANSWERS_MS = 5000;

/** What the platform would answer, if it were called. */
const UNREACHABLE = {
  blocked: 'Forbidden: bot was blocked by the user',
  deactivated: 'Forbidden: user is deactivated',
  erased: 'the user was erased',
} as const;

/** What an owner is told while the service itself is the reason; those who run it are told more. */
const BROKEN = { until: null, error: 'the service has failed and will try again' };

/**
 * Sends a broadcast to those who were never attempted, until there is nobody left or something ends it. Whatever fails that
 * nobody expected ends it too, once the answers to what was begun are in the log and the rest is given back: so that a
 * mistake costs the recipients whose call it broke, not all that were claimed at each try.
 * @param signal who sends is to stop, or is not the sender any more
 * @throws ReplacedError
 */
export async function sendLaunch(
  options: LaunchOptions,
  ledger: SendingLedger,
  signal: AbortSignal,
): Promise<LaunchEnd> {
  const { name, launch, sender, chats, message, cap, onLimit, lane, trouble, pauses, failure, elapsed, logger } =
    options;
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
  /** After a failure one recipient at a time finds out whether it is over. */
  let trying = failure.isFailing;
  const bell = createBell();

  const limiter = createLimiter(cap, elapsed());
  const opensAt = ledger.state.attempted > 0 ? elapsed() + FIRST_REST_MS : lane.opensAt;
  limiter.restUntil(opensAt);
  const outbox = createOutbox(limiter, message.units, lane.wake, send, giveBack);
  const courier = {
    ...options,
    isRecipient: (chat: number) => hasChat(chats, chat),
    permit: (units: number) => outbox.permit(units),
  };

  function send({ claim, place }: Waiting, permit: Permit): void {
    const now = elapsed();
    calls.set(place, now);
    begun.push(now);
    if (limited && onLimit.extraDelay > 0) limiter.restUntil(now + onLimit.extraDelay);
    let parameters: object;
    try {
      parameters = message.parameters(users.get(place) ?? {}, files);
    } catch (error) {
      permit.taken.answered(now);
      permit.over();
      answered(claim, { place, ...withoutCall(error) });
      return;
    }
    deliver(courier, chats[place]!, parameters, permit)
      .then((delivery) => delivered(claim, place, delivery))
      .catch((error: unknown) => {
        fail(error);
        if (calls.has(place)) answered(claim, { place, ...BROKEN_CALL });
      });
  }

  /** Why there is nothing to send to a recipient. */
  function withoutCall(error: unknown): Omit<Answered, 'place'> {
    if (error instanceof TemplateError)
      return { outcome: 'not_delivered', reason: `the template failed: ${error.message}`, without_call: true };
    fail(error);
    return RETURNED;
  }

  /** Of calls that were under way together only the first says something new. */
  function fail(error: unknown): void {
    if (end?.type === 'broken') return;
    const againMs = failure.failed(error);
    end ??= { type: 'broken', againMs };
    bell.ring();
  }

  function delivered(claim: number, place: number, delivery: Delivery): void {
    const { answer, files: sent, userStatus, trouble: met, fault } = delivery;
    if (fault !== null) fail(fault);
    for (const { url, file_id } of sent) files.set(url, file_id);
    learned.push(...sent);
    if (userStatus !== null) unreachable.push({ user_id: chats[place]!, user_status: userStatus });
    if (met?.type === 'not_sent') trouble.unreachable(met.reason);
    else if (answer.outcome === 'unknown') {
      if (fault === null) trouble.unknown(answer.reason ?? '');
    }
    // A fault of the service that sends nothing says nothing of the platform.
    else if (fault === null || answer.outcome !== 'returned') trouble.reached();
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
    for (const { claim, place } of waiting) answered(claim, { place, ...RETURNED });
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
    // Where a call may cost its recipient, the one before is waited for.
    const alone = trying || trouble.costly;
    const open = (alone ? openPlaces(ledger.state) : atRisk(now)) - count;
    const careful =
      alone || trouble.probing || (message.urls.some((url) => !files.has(url)) && isBeginning(ledger.state, launch));
    const room = careful ? (open === 0 ? 1 : 0) : budget.room(open, now);
    // Who is claimed during the first rest would be taken for slow.
    const wanted = end === null && trouble.wait() <= 0 && now >= opensAt ? room : 0;
    const { attempted } = ledger.state;
    let wrote = false;
    try {
      // The bot's pause is in the log before the launch that was told of it can end.
      await pauses.append((state) => pauseBot(state, trouble.limitedUntil), until);
      await ledger.append((state) => {
        const decision = entriesOf(state, {
          claiming: { broadcast_id: name.id, launch, sender, audience: chats.length, count: wanted },
          answered: taken,
          files: newFiles,
          unreachable: marks,
          pause: trouble.pause() ?? (trying || end?.type === 'broken' ? BROKEN : null),
          limited,
        });
        wrote ||= !(decision instanceof Rejection) && decision.length > 0;
        return decision;
      }, until);
    } catch (error) {
      for (const [claim, list] of taken) for (const each of list) answers.add(claim, each, now);
      learned.push(...newFiles);
      unreachable.push(...marks);
      throw error;
    }
    if (trying && end === null && ledger.state.attempted > attempted) {
      trying = false;
      failure.mended();
    }
    if (ledger.state.lastClaim > adopted) await adopt();
    return wrote;
  }

  /** Puts the recipients of new claims in line, but for those of whom it is known that they cannot be reached. */
  async function adopt(): Promise<void> {
    while (adopted < ledger.state.lastClaim) {
      const claim = ++adopted;
      const places = [...(ledger.state.claims.get(claim)?.open ?? [])];
      const known = end === null ? await lookUp(places) : null;
      const since = elapsed();
      const waiting = places.map((place) => ({ claim, place, since }));
      // Between the claim and now the platform may have turned out not to work: then one call finds out, later.
      const isLate = trouble.wait() > 0 || (trouble.probing && waiting.length > 1);
      if (known === null || end !== null || isLate) {
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
      if (isDatabaseDown(error)) {
        logger.warn({ err: error, broadcast: name.id }, 'failed to look up recipients; giving them back');
        await pause(LOOK_MS, signal);
      } else fail(error);
      return null;
    }
  }

  await ledger.append((state) => abandonClaims(state, name.id, sender), signal);
  while (hasRefused(ledger.state, launch))
    await ledger.append((state) => reopenRefused(state, name.id, launch), signal);
  adopted = ledger.state.lastClaim;
  trouble.resumeAt(pauses.state.until);
  const { paused } = ledger.state;
  if (ledger.state.launch === launch && typeof paused?.error === 'string') trouble.doubt(paused.error);
  if (trouble.wait() > 0) lane.rest(trouble.wait());
  lane.add(outbox);
  const deadline = abortedAfter(signal, LAST_ANSWERS_MS);
  try {
    for (let lookedAt = Number.NEGATIVE_INFINITY; ; ) {
      const now = elapsed();
      let wrote = false;
      try {
        if (signal.aborted) end ??= { type: 'interrupted' };
        if (end === null && now - lookedAt >= LOOK_MS) {
          lookedAt = now;
          if (!(await options.isSending())) end = { type: 'cancelled' };
        }
        if (end === null && isMessageRefused(ledger.state, launch)) end = { type: 'failed', error: MESSAGE_REFUSED };
        if (end === null && isAllAttempted(ledger.state, chats.length)) end = { type: 'finished' };
        takeBack(now);
        wrote = await keepBooks(deadline.signal);
      } catch (error) {
        if (error instanceof ReplacedError || deadline.signal.aborted) throw error;
        if (end === null) fail(error);
        // Not even what is known can be written down: it is kept, and nobody else is called.
        else await (signal.aborted ? pause(LOOK_MS, deadline.signal) : pause(failure.failed(error), signal));
        continue;
      }
      if (end !== null && calls.size === 0 && answers.size === 0) return end;
      if (deadline.signal.aborted) return end ?? { type: 'interrupted' };
      if (wrote) continue;
      await bell.sleep(now < opensAt ? Math.min(opensAt - now, BOOKS_MS) : BOOKS_MS);
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
    const back =
      end !== null ? outbox.takeBack(Number.POSITIVE_INFINITY) : outbox.takeBack(now - STALE_MS, now - STALE_NEXT_MS);
    if (back.length === 0) return;
    if (end === null) budget.slowed(begun.length, now);
    giveBack(back);
  }
}

const RETURNED = { outcome: 'returned', reason: null } as const;
const MESSAGE_REFUSED = 'the platform refuses the message: see the reasons of the first recipients';
