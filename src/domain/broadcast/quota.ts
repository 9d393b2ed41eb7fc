import { z } from 'zod';
import { type Decision, decider } from '../decider.ts';
import { type DataOf, type EventOf, eventType } from '../event-type.ts';
import { Rejection } from '../rejection.ts';

/**
 * Events of what counts against an owner's broadcasts of a calendar month, on `quota-<owner id>`
 * (decisions.md#broadcast-quota).
 */

const activation = z.uuid();

export const broadcastCounted = eventType(
  'broadcast_counted',
  1,
  z.object({
    activation,
    broadcast_id: z.number().int().positive(),
    /** Public key of its bot. */
    bot: z.string().min(1),
    /** `YYYY-MM`, UTC. */
    month: z.string().regex(/^\d{4}-\d\d$/),
    /** Milliseconds since 1970 UTC. */
    at: z.number().int(),
  }),
);
/** It was cancelled before a sender began it, or was never activated. */
export const broadcastGivenBack = eventType('broadcast_given_back', 1, z.object({ activation }));

/** Stream `quota-<owner id>`: the owner's broadcasts of each calendar month, in UTC (decisions.md#broadcast-quota). */

type Counted = DataOf<typeof broadcastCounted>;

/** One activation that counts, or has counted. */
export interface Count extends Counted {
  readonly givenBack: boolean;
}

/** By activation. */
export type QuotaState = Map<string, Count>;
export type QuotaEvent = EventOf<typeof broadcastCounted | typeof broadcastGivenBack>;

export const quota = decider([broadcastCounted, broadcastGivenBack], (): QuotaState => new Map(), evolve);

function evolve(state: QuotaState, event: QuotaEvent): QuotaState {
  const { activation } = event.data;
  if (event.type === 'broadcast_counted') return state.set(activation, { ...event.data, givenBack: false });
  return state.set(activation, { ...state.get(activation)!, givenBack: true });
}

/** The error if the quota is used up (interface.md, "Broadcasts"). */
export const QUOTA_EXHAUSTED = 'mailing_not_allowed';

export type CountBroadcast = Omit<Counted, 'month' | 'at'>;

/**
 * Counts an activation once, however often it is requested. A count that may be left over is counted again. @param limit
 * broadcasts a month
 */
export function countBroadcast(
  state: QuotaState,
  command: CountBroadcast,
  limit: number,
  now: number,
): Decision<QuotaEvent> {
  const known = state.get(command.activation);
  const counts = known !== undefined && !known.givenBack;
  if (counts && now - known.at < ACTIVATED_WITHIN_MS / 2) return [];
  const month = monthOf(now);
  const others = countsOf(state, month).filter(({ activation }) => activation !== command.activation);
  if (others.length >= limit) return new Rejection('limit', '', QUOTA_EXHAUSTED);
  const back = counts ? giveBack(state, command.activation) : [];
  return [...back, { type: 'broadcast_counted', data: { ...command, month, at: now } }];
}

export function giveBack(state: QuotaState, activation: string): QuotaEvent[] {
  const known = state.get(activation);
  return known === undefined || known.givenBack ? [] : [{ type: 'broadcast_given_back', data: { activation } }];
}

/**
 * An activation is appended within this time after its count, or not at all. So an older count that its broadcast does not
 * know is left over: the instance that made it died, before the activation or after a cancellation.
 */
export const ACTIVATED_WITHIN_MS = 60_000;

/** Counts of the current month that are old enough to be checked. */
export function settledCounts(state: QuotaState, now: number): Count[] {
  return countsOf(state, monthOf(now)).filter(({ at }) => now - at > ACTIVATED_WITHIN_MS);
}

/** The broadcasts of an owner that count in the current month. */
export function broadcastsThisMonth(state: QuotaState, now: number): { readonly month: string; readonly used: number } {
  const month = monthOf(now);
  return { month, used: countsOf(state, month).length };
}

function countsOf(state: QuotaState, month: string): Count[] {
  return [...state.values()].filter((count) => count.month === month && !count.givenBack);
}

function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
