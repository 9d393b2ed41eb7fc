import { refusalKey } from './refusal.ts';
import type { Outcome } from './sending-events.ts';

/** Refusals of the message itself since the last delivery of the launch. */
export interface RefusalRun {
  hasDelivered: boolean;
  /** By `refusalKey`. */
  readonly refusals: Map<string, number>;
}

/** The order within a batch is unknown, so a delivery in it ends the run. Refusals of single chats do not. */
export function extendRun(run: RefusalRun, outcomes: readonly Outcome[]): void {
  if (outcomes.some(({ outcome }) => outcome === 'delivered')) {
    run.hasDelivered = true;
    run.refusals.clear();
    return;
  }
  for (const { of_message, reason, recipients } of outcomes) {
    if (of_message !== true) continue;
    const key = refusalKey(reason ?? '');
    const count = recipients.reduce((sum, [first, last]) => sum + last - first + 1, 0);
    run.refusals.set(key, (run.refusals.get(key) ?? 0) + count);
  }
}

/**
 * So many equal refusals end the launch (decisions.md#refused-for-the-message): before its first delivery, and after one,
 * when the message suits some recipients.
 */
const BEFORE_DELIVERY = 10;
const AFTER_DELIVERY = 100;

export function isLongRun({ hasDelivered, refusals }: RefusalRun): boolean {
  return Math.max(0, ...refusals.values()) >= (hasDelivered ? AFTER_DELIVERY : BEFORE_DELIVERY);
}
