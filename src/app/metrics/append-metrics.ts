import { Counter, Histogram, type Registry } from 'prom-client';
import { botPaused } from '../../domain/broadcast/bot-pause.ts';
import { batchAbandoned, batchAnswered, OUTCOMES, type Range } from '../../domain/broadcast/sending-events.ts';
import type { EventType } from '../../domain/event-type.ts';
import {
  accrualReversed,
  payoutAccepted,
  payoutAttemptFailed,
  payoutCancelled,
  payoutFailed,
  payoutPaid,
  payoutRequested,
  rewardAccrued,
  rewardRefused,
} from '../../domain/referral/account-events.ts';
import {
  type Appended,
  ConflictError,
  type EventLog,
  LogUnavailableError,
  type NewCommit,
  OutcomeUnknownError,
} from '../../log/port.ts';
import { elementsOf } from './element-metrics.ts';

/** How an append ended. `failed`: an error that is none of the log's, such as a commit that is too large. */
const APPEND_OUTCOMES = ['appended', 'repeated', 'conflict', 'unavailable', 'unknown', 'failed'] as const;
type AppendOutcome = (typeof APPEND_OUTCOMES)[number];

/** Counts what this thread appends to the log (decisions.md#metrics). */
export interface AppendMetrics {
  /** Returns the log with its appends measured. */
  measured(log: EventLog): EventLog;
  /** Called by the engine for each group of appends that it sends at once. */
  readonly onGroup: (commits: number) => void;
}

export function appendMetrics(registry: Registry): AppendMetrics {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'botledger_append_seconds',
    help: 'Time of an append to the log, by the kind of stream (exact, any) and its outcome',
    labelNames: ['streams', 'outcome'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const group = new Histogram({
    name: 'botledger_append_group_commits',
    help: 'Commits that the log takes at once',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const events = new Counter({
    name: 'botledger_appended_events_total',
    help: 'Events appended to the log, by type; each element of an intake request counts',
    labelNames: ['type'] as const,
    registers,
  });
  const count = resultCounter(registry);

  function note({ expected, events: appended }: NewCommit, outcome: AppendOutcome, begun: number): void {
    const streams = expected === 'any' ? 'any' : 'exact';
    seconds.observe({ streams, outcome }, (performance.now() - begun) / 1000);
    if (outcome !== 'appended') return;
    for (const event of appended) {
      events.inc({ type: event.type }, elementsOf(event));
      count(event.type, event.data);
    }
  }

  return {
    onGroup: (commits) => group.observe(commits),
    measured: (log) => ({
      ...log,
      async append(commit, options): Promise<Appended> {
        const begun = performance.now();
        try {
          const appended = await log.append(commit, options);
          note(commit, appended.repeated === null ? 'appended' : 'repeated', begun);
          return appended;
        } catch (error) {
          note(commit, outcomeOf(error), begun);
          throw error;
        }
      },
    }),
  };
}

function outcomeOf(error: unknown): AppendOutcome {
  if (error instanceof ConflictError) return 'conflict';
  if (error instanceof LogUnavailableError) return 'unavailable';
  return error instanceof OutcomeUnknownError ? 'unknown' : 'failed';
}

/** Counts events whose data say how something ended. Every mutation is an event, so these counts miss none. */
function resultCounter(registry: Registry): (type: string, data: unknown) => void {
  const counter = (name: string, help: string, results: readonly string[]): ((result: string, by?: number) => void) => {
    const metric = new Counter({ name, help, labelNames: ['result'] as const, registers: [registry] });
    // So that a rate can be seen from the first one.
    for (const result of results) metric.inc({ result }, 0);
    return (result, by = 1) => metric.inc({ result }, by);
  };
  const accrual = counter(
    'botledger_accruals_total',
    'Decisions on rewards: accrued, reversed, or why an event earned nothing',
    ['accrued', 'reversed', 'no_value', 'unknown_unit', 'no_rate', 'not_positive'],
  );
  const payout = counter('botledger_payouts_total', 'Payouts that were requested, paid, failed for good or cancelled', [
    'requested',
    'paid',
    'failed',
    'cancelled',
  ]);
  const attempt = counter(
    'botledger_webhook_attempts_total',
    'Calls of payout webhooks, by result: paid, accepted, failed (no usable answer) or unsent (no connection)',
    ['paid', 'accepted', 'failed', 'unsent'],
  );
  const recipient = counter(
    'botledger_broadcast_recipients_total',
    'Recipients of broadcasts by outcome; not_called: the outcome was known without a call; returned: not sent, tried again later',
    [...OUTCOMES, 'not_called'],
  );
  const limited = new Counter({
    name: 'botledger_broadcast_limited_total',
    help: 'Answers 429 of the platform that paused a bot',
    registers: [registry],
  });

  const counted = new Map<string, (data: unknown) => void>();
  const on = <T extends string, D>({ type }: EventType<T, D>, count: (data: D) => void): void => {
    // The data of an event that was appended has its type's present shape.
    counted.set(type, (data) => count(data as D));
  };
  on(rewardAccrued, () => accrual('accrued'));
  on(rewardRefused, ({ reason }) => accrual(reason));
  on(accrualReversed, () => accrual('reversed'));
  on(payoutRequested, ({ payouts }) => payout('requested', payouts.length));
  on(payoutFailed, () => payout('failed'));
  on(payoutCancelled, () => payout('cancelled'));
  on(payoutPaid, ({ by }) => {
    payout('paid');
    if (by === 'webhook') attempt('paid');
  });
  on(payoutAccepted, () => attempt('accepted'));
  on(payoutAttemptFailed, ({ sent }) => attempt(sent ? 'failed' : 'unsent'));
  on(batchAnswered, ({ outcomes }) => {
    for (const { outcome, without_call, recipients } of outcomes)
      recipient(without_call === true ? 'not_called' : outcome, sizeOf(recipients));
  });
  on(batchAbandoned, ({ recipients }) => recipient('unknown', sizeOf(recipients)));
  on(botPaused, () => limited.inc());
  return (type, data) => counted.get(type)?.(data);
}

function sizeOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}
