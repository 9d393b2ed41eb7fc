import { z } from 'zod';
import { textProblem } from '../catalog/checks.ts';
import type { IdKind } from '../catalog/ids.ts';
import { type Decision, decider } from '../decider.ts';
import { type DataOf, type EventOf, eventType } from '../event-type.ts';
import { Rejection } from '../rejection.ts';
import { MAX_REASON } from './work-events.ts';

/**
 * Stream `recovery-global`: the times when the log was restored, so that it lacks all that the service gave away since
 * the backup (decisions.md#recovery). From `begun` on, new ids are above all ids that the lost part of the log may have
 * given. Until `ended`, no money and no message leaves the service.
 */

/** `backup`: the hash of the backup file; null: the log was restored by other means. */
export const recoveryBegun = eventType(
  'recovery_begun',
  1,
  z.object({
    backup: z.string().nullable(),
    /** New ids of kinds that grow with traffic are above it. */
    frequent_ids_above: z.number().int().nonnegative(),
    /** New ids of all other kinds are above it. */
    rare_ids_above: z.number().int().nonnegative(),
  }),
);
/** An operator has compared the payouts with the client's records. */
export const recoveryEnded = eventType('recovery_ended', 1, z.object({ reason: z.string() }));

export type RecoveryEvent = EventOf<typeof recoveryBegun | typeof recoveryEnded>;

export interface RecoveryState {
  /** The last beginning; null: the log was never restored. */
  readonly last: DataOf<typeof recoveryBegun> | null;
  /** Whether it has begun and not ended. */
  readonly isOpen: boolean;
}

export const recovery = decider(
  [recoveryBegun, recoveryEnded],
  (): RecoveryState => ({ last: null, isOpen: false }),
  ({ last }, event) => (event.type === 'recovery_begun' ? { last: event.data, isOpen: true } : { last, isOpen: false }),
);

/** 2026-01-01T00:00:00Z. Ids that were given before it are few, so all ids stay safe integers for 28,000 years. */
const FIRST_SECOND_MS = Date.UTC(2026, 0, 1);
/**
 * The lost part of the log gave fewer ids than these for each second since the recovery before, or since 2026. So the floor of
 * a recovery is above all ids given before it, also if the same backup is restored twice.
 */
const FREQUENT_IDS_PER_SECOND = 10_000;

/** Kinds whose ids grow with traffic. The others have 32 bits in read models: a second each lasts until 2094. */
const FREQUENT: ReadonlySet<IdKind> = new Set(['accrual', 'payout', 'broadcast', 'segment']);

/** Begins a recovery. One that is open already stays as it is. @param now milliseconds UTC */
export function beginRecovery(
  { last, isOpen }: RecoveryState,
  backup: string | null,
  now: number,
): Decision<RecoveryEvent> {
  if (isOpen) return [];
  const seconds = Math.max(0, Math.ceil((now - FIRST_SECOND_MS) / 1000));
  return [
    {
      type: 'recovery_begun',
      data: {
        backup,
        frequent_ids_above: Math.max(last?.frequent_ids_above ?? 0, seconds * FREQUENT_IDS_PER_SECOND),
        rare_ids_above: Math.max(last?.rare_ids_above ?? 0, seconds),
      },
    },
  ];
}

/** Ends the open recovery: money and messages leave the service again. */
export function endRecovery({ isOpen }: RecoveryState, reason: string): Decision<RecoveryEvent> {
  const text = reason.trim();
  const problem = textProblem('reason', text, MAX_REASON);
  if (problem !== undefined) return problem;
  return isOpen
    ? [{ type: 'recovery_ended', data: { reason: text } }]
    : new Rejection('conflict', 'recovery', 'no recovery is open');
}

/** New ids of a kind are above it; 0: the log was never restored. `event`: the ids of a bot's events. */
export function idsAbove({ last }: RecoveryState, kind: IdKind | 'event'): number {
  if (last === null) return 0;
  return kind !== 'event' && FREQUENT.has(kind) ? last.frequent_ids_above : last.rare_ids_above;
}
