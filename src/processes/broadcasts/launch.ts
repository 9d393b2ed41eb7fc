import type { Answered } from '../../domain/broadcast/batches.ts';
import { isAllAttempted, isBeginning, isMessageRefused, openPlaces } from '../../domain/broadcast/sending.ts';
import type { Entries } from './commit.ts';
import type { Delivery } from './deliver.ts';
import type { Launch, LaunchEffect, LaunchEnd, LaunchInput, Waiting } from './launch-state.ts';
import type { PlatformStatus } from './platform-health.ts';

/**
 * One launch of a broadcast as a reducer: an input and a time go in, effects come out. It reads no clock, draws no random
 * number and does no I/O; the driver (send-launch.ts) performs the effects.
 *
 * The state is changed in place. With 750 calls under way, a copy of the map of calls and of the queue takes 39 µs,
 * twice a message; the service takes about 300 µs a message in all, with its database.
 */

/** Releases recipients that are still unsent after 1 s, since a claim lasts one second. */
const STALE_MS = 1000;
/**
 * The next recipient is kept longer, since one recipient is always claimed. An album may wait about 20 s until the
 * limiter has room.
 */
const STALE_NEXT_MS = 30_000;
/** How often outcomes are recorded and recipients claimed, unless an input asks for it earlier. */
const TICK_MS = 100;

/** Reasons for calling no such recipient: the platform's own answers, and ours for an erased user. */
const UNREACHABLE = {
  blocked: 'Forbidden: bot was blocked by the user',
  deactivated: 'Forbidden: user is deactivated',
  erased: 'the user was erased',
} as const;
/** The owner's view of a failure of the service; `projection list` shows the error. */
const BROKEN = { until: null, error: 'the service has failed and will try again' };
const RETURNED = { outcome: 'returned', reason: null } as const;
const MESSAGE_REFUSED = 'the platform refuses the message: see the reasons of the first recipients';

type Effects = readonly LaunchEffect[];
const NONE: Effects = [];
const WAKE: Effects = [{ type: 'wake' }];

/** @param now monotonic ms @returns the actions for the driver, in this order */
export function step(state: Launch, input: LaunchInput, now: number): Effects {
  switch (input.type) {
    case 'turn':
      return callNext(state, now);
    case 'answered':
      return answered(state, input, now);
    case 'due':
      return due(state, input.platform, now);
    case 'appended':
      return appended(state, input, now);
    case 'not_appended':
      return notAppended(state, input.againMs, now);
    case 'found':
      return found(state, input, now);
    case 'rested':
      return release(state, state.waiting.splice(0), now);
    case 'failed':
      return endWith(state, { type: 'broken', againMs: input.againMs }, now);
    case 'cancelled':
      return endWith(state, { type: 'cancelled' }, now);
    case 'aborted':
      return aborted(state, now);
    case 'expired':
      state.expired = true;
      return NONE;
  }
}

/** How long the driver may wait before the next `due`. */
export function dueInMs({ recordAt, plan }: Launch, now: number): number {
  const waits = [recordAt - now, plan.opensAt - now].filter((ms) => ms > 0);
  return Math.min(TICK_MS, ...waits);
}

function callNext(state: Launch, now: number): Effects {
  const next = state.waiting.shift();
  if (next === undefined) return NONE;
  const { claim, place, user } = next;
  state.calls.set(place, now);
  state.begun.push(now);
  return [{ type: 'call', claim, place, user, gapMs: state.limited ? state.plan.onLimit.extraDelay : 0 }];
}

function answered(state: Launch, input: Extract<LaunchInput, { type: 'answered' }>, now: number): Effects {
  const { claim, place, delivery, platform } = input;
  if (!state.calls.delete(place)) return NONE;
  const { answer, files, userStatus, botProblem } = delivery;
  for (const { url, file_id } of files) state.files.set(url, file_id);
  state.newFiles.push(...files);
  if (userStatus !== null) state.unreachable.push({ user_id: state.plan.chats[place]!, user_status: userStatus });
  const wake = add(state, claim, { place, ...answer }, now);
  const ended = botProblem === null ? NONE : endedBy(state, botProblem, now);
  if (platform.waitMs > 0) return [...ended, { type: 'rest', ms: platform.waitMs }, ...WAKE];
  return ended === NONE ? wake : ended;
}

function endedBy(state: Launch, problem: NonNullable<Delivery['botProblem']>, now: number): Effects {
  switch (problem.type) {
    case 'limited':
      state.limited = true;
      if (!state.plan.onLimit.stop) return NONE;
      return endWith(state, { type: 'stopped', error: 'the platform limits the rate (429)' }, now);
    case 'unauthorized':
      return endWith(state, { type: 'failed', error: `the bot’s token is refused: ${problem.reason}` }, now);
    case 'not_sent':
      return NONE;
  }
}

/**
 * Outcomes that could not be recorded are tried again at once. The driver gives the input at each call: only the first
 * counts.
 */
function aborted(state: Launch, now: number): Effects {
  if (state.aborted) return NONE;
  state.recordAt = now;
  state.aborted = true;
  return endWith(state, { type: 'interrupted' }, now);
}

/** The first reason to end counts. Recipients that were not called go back. */
function endWith(state: Launch, end: LaunchEnd, now: number): Effects {
  if (state.end !== null) return NONE;
  state.end = end;
  release(state, state.waiting.splice(0), now);
  return [{ type: 'stop' }, ...WAKE];
}

function add(state: Launch, claim: number, answer: Answered, now: number): Effects {
  const isWhole = state.unrecorded.add(claim, answer, now) >= openOf(state, claim);
  return isWhole || state.end !== null ? WAKE : NONE;
}

function openOf({ log }: Launch, claim: number): number {
  return log.claims.get(claim)?.open.size ?? 0;
}

function release(state: Launch, recipients: readonly Pick<Waiting, 'claim' | 'place'>[], now: number): Effects {
  let effects = NONE;
  for (const { claim, place } of recipients) {
    const wake = add(state, claim, { place, ...RETURNED }, now);
    if (wake !== NONE) effects = wake;
  }
  return effects;
}

function due(state: Launch, platform: PlatformStatus, now: number): Effects {
  if (state.recording !== null || now < state.recordAt) return NONE;
  const { log, plan } = state;
  const ended =
    state.end === null && isMessageRefused(log, plan.launch)
      ? endWith(state, { type: 'failed', error: MESSAGE_REFUSED }, now)
      : state.end === null && isAllAttempted(log, plan.chats.length)
        ? endWith(state, { type: 'finished' }, now)
        : NONE;
  releaseStale(state, now);
  const entries = nextEntries(state, platform, now);
  state.recording = { entries, attempted: log.attempted };
  return [...ended, { type: 'record', entries, limited: platform.limited }];
}

function releaseStale(state: Launch, now: number): void {
  state.begun = state.begun.filter((since) => now - since < STALE_MS);
  const isStale = ({ since }: Waiting, index: number): boolean =>
    now - since > (index === 0 ? STALE_NEXT_MS : STALE_MS);
  const stale = state.waiting.filter(isStale);
  if (stale.length === 0) return;
  state.waiting = state.waiting.filter((waiting, index) => !isStale(waiting, index));
  state.budget.slowed(state.begun.length, now);
  release(state, stale, now);
}

function nextEntries(state: Launch, platform: PlatformStatus, now: number): Entries {
  const { plan, end, newFiles: files, unreachable } = state;
  const outcomes = state.unrecorded.take((claim) => openOf(state, claim), now, end !== null);
  const taken = [...outcomes.values()].reduce((sum, { length }) => sum + length, 0);
  const isOpen = end === null && platform.waitMs <= 0 && now >= plan.opensAt;
  // Also called during a pause: the budget grows with time.
  const count = room(state, platform, taken, now);
  state.newFiles = [];
  state.unreachable = [];
  return {
    claiming: {
      broadcast_id: plan.broadcastId,
      launch: plan.launch,
      sender: plan.sender,
      audience: plan.chats.length,
      count: isOpen ? count : 0,
    },
    answered: outcomes,
    files,
    unreachable,
    pause: platform.pause ?? (state.trying || end?.type === 'broken' ? BROKEN : null),
    limited: state.limited,
  };
}

/** How many recipients may be claimed once the log has these further outcomes. */
function room(state: Launch, platform: PlatformStatus, taken: number, now: number): number {
  const { log, plan, files, budget } = state;
  // While each call may lose its recipient, its answer is recorded before the next claim.
  const alone = state.trying || platform.costly;
  const open = openPlaces(log) - (alone ? 0 : silentCalls(state, now)) - taken;
  const sendsNewFile = plan.message.urls.some((url) => !files.has(url)) && isBeginning(log, plan.launch);
  if (alone || platform.probing || sendsNewFile) return open === 0 ? 1 : 0;
  return budget.room(open, now);
}

/** Calls that have had no answer for longer than a second: they do not count against the claims. */
function silentCalls({ calls }: Launch, now: number): number {
  let silent = 0;
  for (const since of calls.values()) if (now - since > STALE_MS) silent++;
  return silent;
}

function appended(state: Launch, { log, wrote }: Extract<LaunchInput, { type: 'appended' }>, now: number): Effects {
  const { attempted = log.attempted } = state.recording ?? {};
  state.log = log;
  state.recording = null;
  const effects: LaunchEffect[] = [];
  if (state.trying && state.end === null && log.attempted > attempted) {
    state.trying = false;
    effects.push({ type: 'recovered' });
  }
  while (state.adopted < log.lastClaim) {
    const claim = ++state.adopted;
    const places = [...(log.claims.get(claim)?.open ?? [])];
    if (state.end !== null) {
      release(
        state,
        places.map((place) => ({ claim, place })),
        now,
      );
      continue;
    }
    state.lookUps.set(claim, places);
    effects.push({ type: 'look_up', claim, chats: places.map((place) => state.plan.chats[place]!) });
  }
  const { end, calls, unrecorded, lookUps } = state;
  const isDone = calls.size === 0 && unrecorded.size === 0 && lookUps.size === 0;
  if (end !== null && (isDone || state.expired)) effects.push({ type: 'end', end });
  else if (wrote) effects.push(...WAKE);
  return effects;
}

/** Keeps the outcomes that the log did not take, and ends the run, so that no other recipient is called. */
function notAppended(state: Launch, againMs: number, now: number): Effects {
  if (state.recording !== null) {
    const { answered: outcomes, files, unreachable } = state.recording.entries;
    for (const [claim, list] of outcomes) for (const each of list) state.unrecorded.add(claim, each, now);
    state.newFiles.push(...files);
    state.unreachable.push(...unreachable);
    state.recording = null;
  }
  if (state.end === null) return endWith(state, { type: 'broken', againMs }, now);
  state.recordAt = now + againMs;
  return NONE;
}

/** Recipients of a new claim join the queue, except recipients that are known to be unreachable. */
function found(state: Launch, input: Extract<LaunchInput, { type: 'found' }>, now: number): Effects {
  const { claim, users, platform } = input;
  const places = state.lookUps.get(claim) ?? [];
  state.lookUps.delete(claim);
  // The platform may have failed since the claim. Then one later call finds out whether it works again.
  const isLate = platform.waitMs > 0 || (platform.probing && places.length > 1);
  if (users === null || state.end !== null || isLate)
    return release(
      state,
      places.map((place) => ({ claim, place })),
      now,
    );
  let effects = NONE;
  for (const place of places) {
    const user = users.get(state.plan.chats[place]!);
    if (user === undefined || user.status === 'active')
      state.waiting.push({ claim, place, user: user?.fields ?? {}, since: now });
    else {
      const answer = { place, outcome: 'not_delivered', reason: UNREACHABLE[user.status], without_call: true } as const;
      const wake = add(state, claim, answer, now);
      if (wake !== NONE) effects = wake;
    }
  }
  return effects;
}
