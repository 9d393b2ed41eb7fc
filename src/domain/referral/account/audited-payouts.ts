import type { AccountEvent } from './state.ts';

/** The allowed steps of payouts and their order (decisions.md#payouts), written a second time for audits. */

type DataOf<T extends AccountEvent['type']> = Extract<AccountEvent, { readonly type: T }>['data'];
type PayoutStep = Extract<AccountEvent, { readonly data: { readonly payout_id: number } }>;

interface AuditedPayout {
  readonly amount: string;
  readonly method: 'webhook' | 'manual';
  state: 'new' | 'open' | 'attempt failed' | 'accepted' | 'failed' | 'paid' | 'cancelled';
  attempts: number;
  /** Number of attempts that did not reach the client. */
  unsent: number;
}

export interface AuditedPayouts {
  request(data: DataOf<'payout_requested'>): string[];
  /** Applies a step. `over` is set by the step that ends the payout. */
  go(step: PayoutStep): {
    readonly problem: string | null;
    readonly over: { readonly amount: string; readonly paid: boolean } | null;
  };
  isPaid(payoutId: number): boolean;
}

export function createAuditedPayouts(): AuditedPayouts {
  const payouts = new Map<number, AuditedPayout>();
  return {
    request({ payouts: requested, method }) {
      return requested.flatMap(({ payout_id, amount }) => {
        const known = payouts.has(payout_id);
        payouts.set(payout_id, { amount, method, state: 'new', attempts: 0, unsent: 0 });
        return known ? [`payout ${payout_id} exists already`] : [];
      });
    },

    go(step) {
      const { payout_id } = step.data;
      const payout = payouts.get(payout_id);
      if (payout === undefined) return { problem: `there is no payout ${payout_id}`, over: null };
      const before = payout.state;
      const problem = isAllowed(payout, step)
        ? null
        : `${step.type} of payout ${payout_id}, which is ${payout.method}, ${before}, after ${payout.attempts} attempts`;
      payout.state = STATE_AFTER[step.type];
      if (step.type === 'payout_attempted') payout.attempts = step.data.attempt;
      if (step.type === 'payout_attempt_failed' && !step.data.sent) payout.unsent++;
      const isOver = payout.state === 'paid' || payout.state === 'cancelled';
      const wasOver = before === 'paid' || before === 'cancelled';
      return { problem, over: isOver && !wasOver ? { amount: payout.amount, paid: payout.state === 'paid' } : null };
    },

    isPaid: (payoutId) => payouts.get(payoutId)?.state === 'paid',
  };
}

const STATE_AFTER: Readonly<Record<PayoutStep['type'], AuditedPayout['state']>> = {
  payout_attempted: 'open',
  payout_attempt_failed: 'attempt failed',
  payout_accepted: 'accepted',
  payout_paid: 'paid',
  payout_failed: 'failed',
  payout_retried: 'new',
  payout_cancelled: 'cancelled',
};

function isAllowed({ method, state, attempts, unsent }: AuditedPayout, step: PayoutStep): boolean {
  const isManualAndNew = method === 'manual' && state === 'new';
  const isOnItsWay = state === 'open' || state === 'attempt failed';
  switch (step.type) {
    case 'payout_attempted':
      return method === 'webhook' && (state === 'new' || isOnItsWay) && step.data.attempt === attempts + 1;
    case 'payout_attempt_failed':
    case 'payout_accepted':
      return state === 'open' && step.data.attempt === attempts;
    case 'payout_paid':
      return step.data.by === 'admin' ? isManualAndNew || state === 'accepted' : isOnItsWay || state === 'accepted';
    case 'payout_failed':
      return step.data.by === 'admin' ? state === 'accepted' : method === 'webhook' && (state === 'new' || isOnItsWay);
    case 'payout_retried':
      return state === 'failed' || state === 'attempt failed' || (method === 'webhook' && state === 'new');
    case 'payout_cancelled':
      return (state === 'new' || state === 'failed') && step.data.forced === attempts > unsent;
  }
}
