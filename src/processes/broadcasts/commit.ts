import { type Answered, answerBatch, type ClaimBatch, claimBatch } from '../../domain/broadcast/batches.ts';
import {
  type Pause,
  pauseSending,
  resumeSending,
  type SendingEvent,
  type SendingState,
} from '../../domain/broadcast/sending.ts';
import type { Decision } from '../../domain/decider.ts';
import { Rejection } from '../../domain/rejection.ts';

/** The contents of a sender's commit: outcomes that are not in the log yet, and the next claim. */

export interface FileId {
  readonly url: string;
  readonly file_id: string;
}

export interface Unreachable {
  readonly user_id: number;
  readonly user_status: 'blocked' | 'deactivated';
}

export interface Entries {
  /** The next claim; `count` 0: no recipient. */
  readonly claiming: ClaimBatch;
  /** Outcomes by the numbers of their claims. */
  readonly answered: ReadonlyMap<number, readonly Answered[]>;
  readonly files: readonly FileId[];
  readonly unreachable: readonly Unreachable[];
  /** The present pause of sending; null: sending does not pause. */
  readonly pause: Pause | null;
  /** Whether the platform has told this launch to slow down. */
  readonly limited: boolean;
}

/** The events of one commit. @returns a rejection if another sender has claimed recipients */
export function entriesOf(state: SendingState, entries: Entries): Decision<SendingEvent> {
  const { claiming, answered, files, unreachable, pause, limited } = entries;
  const { broadcast_id, launch, sender } = claiming;
  for (const claim of state.claims.values())
    if (claim.sender !== sender) return new Rejection('conflict', 'sender', 'another sender sends this broadcast');
  const events: SendingEvent[] = [];
  for (const [claim, list] of answered) {
    const decision = answerBatch(state, broadcast_id, claim, list, events.length === 0 ? files : []);
    if (decision instanceof Rejection) return decision;
    events.push(...decision);
  }
  if (unreachable.length > 0) events.push({ type: 'users_unreachable', data: { users: [...unreachable] } });
  const paused = pause ?? (limited && !state.limited ? { until: null, error: null } : null);
  events.push(
    ...(paused === null
      ? resumeSending(state, broadcast_id)
      : pauseSending(state, broadcast_id, launch, { ...paused, limited })),
  );
  if (claiming.count === 0) return events;
  const claimed = claimBatch(state, claiming);
  return claimed instanceof Rejection ? claimed : [...events, ...claimed];
}

/** Outcomes that are not in the log yet. */
export interface Unrecorded {
  readonly size: number;
  /** @returns how many outcomes of the claim are unrecorded */
  add(claim: number, answered: Answered, now: number): number;
  /**
   * Takes the outcomes of completely answered claims, and outcomes that have waited for 300 ms; with `all` every one.
   * @param openOf how many recipients of a claim have no outcome in the log
   */
  take(openOf: (claim: number) => number, now: number, all: boolean): ReadonlyMap<number, readonly Answered[]>;
}

/** Outcomes go together into one commit, but a new claim must not wait until the last one is used up. */
const PATIENCE_MS = 300;

export function createUnrecorded(): Unrecorded {
  const byClaim = new Map<number, { readonly answered: Answered[]; readonly since: number }>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(claim, answered, now) {
      const of = byClaim.get(claim) ?? { answered: [], since: now };
      byClaim.set(claim, of);
      size++;
      return of.answered.push(answered);
    },
    take(openOf, now, all) {
      const taken = new Map<number, readonly Answered[]>();
      for (const [claim, { answered, since }] of byClaim) {
        if (!all && answered.length < openOf(claim) && now - since < PATIENCE_MS) continue;
        taken.set(claim, answered);
        byClaim.delete(claim);
        size -= answered.length;
      }
      return taken;
    },
  };
}

/**
 * How many recipients may be claimed. A kill -9 costs the recipients that are claimed and not answered, so a claim is
 * never more than one second of sending (decisions.md#at-most-once), and never more than the units really sent in the
 * last second.
 */
export interface Budget {
  /** How many may be claimed now. @param open how many are claimed and have no outcome */
  room(open: number, now: number): number;
  /** Claimed recipients have waited for longer than a second. @param called how many were called in the last second */
  slowed(called: number, now: number): void;
}

/** At most a second's worth of recipients is claimed; from 40 a second on, three quarters of it keep the sender busy. */
const FAST = 40;
const FAST_SHARE = 0.75;
/**
 * Each claim takes at least half of the room. The sender sends the other half during the append, and one commit serves
 * many recipients.
 */
const PARTS = 2;
/** After sending was slow, claims grow again by a quarter each second. */
const GROW_EVERY_MS = 1000;
const GROWTH = 1.25;

/** @param cap units in a second @param units of a recipient */
export function createBudget(cap: number, units: number): Budget {
  let speed = cap / units;
  let changedAt = 0;
  return {
    room(open, now) {
      if (now - changedAt > GROW_EVERY_MS) {
        speed = Math.min(cap / units, Math.max(speed * GROWTH, 1));
        changedAt = now;
      }
      const most = Math.max(1, Math.floor(speed < FAST ? speed : speed * FAST_SHARE));
      const batch = Math.max(1, Math.floor(most / PARTS));
      // If the log is slow, the room that has become free since the last claim is claimed at once.
      return most - open >= batch ? most - open : 0;
    },
    slowed(called, now) {
      speed = Math.min(cap / units, called);
      changedAt = now;
    },
  };
}
