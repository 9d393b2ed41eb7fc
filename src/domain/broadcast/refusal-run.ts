import { refusalKey } from './refusal.ts';
import type { Outcome } from './sending-events.ts';

/** Refusals of one variant's message itself since its last delivery in the launch. */
export interface RefusalRun {
  hasDelivered: boolean;
  /** By `refusalKey`. */
  readonly refusals: Map<string, number>;
}

/** By the index of the variant; 0 for a single message. */
export type RefusalRuns = Map<number, RefusalRun>;

/** The order within a batch is unknown, so a delivery in it ends the variant's run. Refusals of single chats do not. */
export function extendRuns(runs: RefusalRuns, outcomes: readonly Outcome[]): void {
  const delivered = new Set(
    outcomes.filter(({ outcome }) => outcome === 'delivered').map(({ variant = 0 }) => variant),
  );
  for (const variant of delivered) runs.set(variant, { hasDelivered: true, refusals: new Map() });
  for (const { of_message, reason, recipients, variant = 0 } of outcomes) {
    if (of_message !== true || delivered.has(variant)) continue;
    const run = runs.get(variant) ?? { hasDelivered: false, refusals: new Map() };
    runs.set(variant, run);
    const key = refusalKey(reason ?? '');
    const count = recipients.reduce((sum, [first, last]) => sum + last - first + 1, 0);
    run.refusals.set(key, (run.refusals.get(key) ?? 0) + count);
  }
}

/**
 * So many equal refusals end the launch (decisions.md#refused-for-the-message): few before the first delivery, of the launch or
 * of the variant; more after it, since the message suits some recipients.
 */
const BEFORE_DELIVERY = 10;
const AFTER_DELIVERY = 100;

export function hasLongRun(runs: RefusalRuns): boolean {
  const all = [...runs.values()];
  const ofVariants = all.some(({ hasDelivered, refusals }) => {
    return most(refusals) >= (hasDelivered ? AFTER_DELIVERY : BEFORE_DELIVERY);
  });
  if (ofVariants || all.some(({ hasDelivered }) => hasDelivered)) return ofVariants;
  const together = new Map<string, number>();
  for (const { refusals } of all)
    for (const [key, count] of refusals) together.set(key, (together.get(key) ?? 0) + count);
  return most(together) >= BEFORE_DELIVERY;
}

const most = (refusals: ReadonlyMap<string, number>): number => Math.max(0, ...refusals.values());
