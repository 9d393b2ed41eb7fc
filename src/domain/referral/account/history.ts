import Big from 'big.js';
import { negated } from './account.ts';
import type { AccountEvent } from './state.ts';

/** The kinds of changes of a balance. */
type Movement =
  | 'accrued'
  | 'hold_passed'
  | 'cancelled'
  | 'compensated'
  | 'payout_requested'
  | 'payout_paid'
  | 'payout_cancelled';

/** A row of an account's history, with the balance of its unit after it. Amounts are decimal text. */
export interface HistoryRow {
  /** Revision of the commit in the account's stream; null: the clock made the change, not a commit. */
  readonly position: number | null;
  /** Time of the commit, or of the end of the hold, milliseconds UTC. */
  readonly date: number;
  readonly event: Movement;
  readonly accrual_id: number | null;
  readonly payout_id: number | null;
  readonly amount: string;
  readonly unit_id: number | null;
  readonly on_hold: string;
  readonly available: string;
  readonly reserved: string;
  readonly paid: string;
  /** Why it was taken back, paid or cancelled; null: none was given. */
  readonly reason: string | null;
}

/** A change before it is put in order. */
interface Step
  extends Pick<HistoryRow, 'position' | 'date' | 'event' | 'accrual_id' | 'payout_id' | 'unit_id' | 'reason'> {
  readonly amount: string;
  readonly from?: Pocket;
  readonly to?: Pocket;
}
type Pocket = 'on_hold' | 'available' | 'reserved' | 'paid';

interface AccruedStep {
  readonly amount: string;
  readonly unit_id: number | null;
  readonly at: number;
  readonly available_at: number;
  cancelledAt: number;
}

/**
 * The history of an account, oldest first, computed only from its stream. The audit compares it with the read model, so
 * it shares no code with the read model or with the account's fold.
 * @param commits of the account's stream, in order
 * @param until ms UTC; later commits and later ends of holds are left out
 */
export function historyOf(
  commits: Iterable<{ readonly revision: number; readonly events: readonly AccountEvent[] }>,
  until: number,
): HistoryRow[] {
  const accruals = new Map<number, AccruedStep>();
  const payouts = new Map<number, { readonly amount: string; readonly unit_id: number | null }>();
  const steps: Step[] = [];
  for (const { revision: position, events } of commits)
    for (const { type, data } of events) {
      const date = data.at;
      if (date > until) continue;
      const step = { position, date, accrual_id: null, payout_id: null, reason: null };
      if (type === 'reward_accrued') {
        const { accrual_id, amount, unit_id, available_at } = data;
        accruals.set(accrual_id, { amount, unit_id, at: date, available_at, cancelledAt: Number.POSITIVE_INFINITY });
        const to = available_at > date ? 'on_hold' : 'available';
        steps.push({ ...step, event: 'accrued', accrual_id, amount, unit_id, to });
      } else if (type === 'accrual_reversed') {
        const accrual = accruals.get(data.accrual_id)!;
        const { amount, unit_id, available_at } = accrual;
        const { reason } = data;
        if (data.compensation_id === null) {
          accrual.cancelledAt = date;
          const from = available_at > date ? 'on_hold' : 'available';
          steps.push({ ...step, event: 'cancelled', accrual_id: data.accrual_id, amount, unit_id, reason, from });
        } else {
          const accrual_id = data.compensation_id;
          steps.push({ ...step, event: 'compensated', accrual_id, amount, unit_id, reason, from: 'available' });
        }
      } else if (type === 'payout_requested')
        for (const { payout_id, amount, unit_id } of data.payouts) {
          payouts.set(payout_id, { amount, unit_id });
          const moved = { amount, unit_id, from: 'available', to: 'reserved' } as const;
          steps.push({ ...step, event: 'payout_requested', payout_id, ...moved });
        }
      else if (type === 'payout_paid' || type === 'payout_cancelled') {
        const { payout_id, reason } = data;
        const to = type === 'payout_paid' ? 'paid' : 'available';
        steps.push({ ...step, event: type, payout_id, ...payouts.get(payout_id)!, reason, from: 'reserved', to });
      }
    }
  return withBalances(merged(steps, passedHolds(accruals, until)));
}

function passedHolds(accruals: ReadonlyMap<number, AccruedStep>, until: number): Step[] {
  return [...accruals]
    .filter(
      ([, { at, available_at, cancelledAt }]) =>
        available_at > at && available_at <= until && available_at <= cancelledAt,
    )
    .map(([accrual_id, { amount, unit_id, available_at }]) => {
      const hold = { position: null, date: available_at, event: 'hold_passed', payout_id: null, reason: null } as const;
      return { ...hold, accrual_id, amount, unit_id, from: 'on_hold', to: 'available' } as const;
    })
    .sort((a, b) => a.date - b.date);
}

/** Ends of holds come before commits of the same millisecond: those were decided after the holds had ended. */
function merged(recorded: readonly Step[], holds: readonly Step[]): Step[] {
  const steps: Step[] = [];
  let next = 0;
  for (const step of recorded) {
    while (next < holds.length && holds[next]!.date <= step.date) steps.push(holds[next++]!);
    steps.push(step);
  }
  return [...steps, ...holds.slice(next)];
}

function withBalances(steps: readonly Step[]): HistoryRow[] {
  const units = new Map<number | null, Record<Pocket, Big>>();
  return steps.map(({ from, to, amount, ...step }) => {
    const zero = new Big(0);
    const before = units.get(step.unit_id) ?? { on_hold: zero, available: zero, reserved: zero, paid: zero };
    const after = { ...before };
    if (from !== undefined) after[from] = after[from].minus(amount);
    if (to !== undefined) after[to] = after[to].plus(amount);
    units.set(step.unit_id, after);
    const [on_hold, available, reserved, paid] = [after.on_hold, after.available, after.reserved, after.paid].map(
      (each) => each.toFixed(),
    ) as [string, string, string, string];
    return { ...step, amount: to === undefined ? negated(amount) : amount, on_hold, available, reserved, paid };
  });
}
