import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { appendMetrics } from '../../../src/app/metrics/append-metrics.ts';
import { batchAbandoned, batchAnswered } from '../../../src/domain/broadcast/sending-events.ts';
import type { StoredEvent } from '../../../src/domain/event-type.ts';
import {
  payoutAttemptFailed,
  payoutPaid,
  payoutRequested,
  rewardRefused,
} from '../../../src/domain/referral/account-events.ts';
import { ConflictError, type EventLog, LogUnavailableError, OutcomeUnknownError } from '../../../src/log/port.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { parseMetrics } from '../../support/metrics.ts';

const registry = new Registry();
const { measured } = appendMetrics(registry);
let ids = 0;

async function append(log: EventLog, events: readonly StoredEvent[], id = `commit-${++ids}`): Promise<void> {
  await measured(log).append({ id, stream: 'intake-a', expected: 'any', at: 1, events });
}

async function samples(name: string): Promise<Record<string, number>> {
  const metrics = parseMetrics(await registry.metrics());
  const all = [...metrics.get(name)!.samples].filter(
    ([sample]) => !sample.includes('_bucket') && !/_sum\b/.test(sample),
  );
  return Object.fromEntries(
    all.filter(([, value]) => value > 0).map(([sample, value]) => [sample.slice(name.length), value]),
  );
}

describe('the metrics of appends', () => {
  it('tell apart how appends ended', async () => {
    const log = memoryLog();
    await append(log, [{ type: 'custom_events_received', v: 1, data: { items: [{}, {}] } }], 'once');
    await append(log, [{ type: 'custom_events_received', v: 1, data: { items: [{}, {}] } }], 'once');
    const errors = [
      new ConflictError('s', 1, 2),
      new LogUnavailableError('no'),
      new OutcomeUnknownError('perhaps'),
      new RangeError('too large'),
    ];
    for (const error of errors) {
      const failing = { ...log, append: () => Promise.reject(error) };
      await expect(append(failing, [])).rejects.toBe(error);
    }
    const outcomes = ['appended', 'repeated', 'conflict', 'unavailable', 'unknown', 'failed'];
    expect(await samples('botledger_append_seconds')).toEqual(
      Object.fromEntries(outcomes.map((outcome) => [`_count{streams="any",outcome="${outcome}"}`, 1])),
    );
    expect(await samples('botledger_appended_events_total')).toEqual({ '{type="custom_events_received"}': 2 });
  });

  it('count results of the events that were appended', async () => {
    const at = 1;
    const event = { commit_id: 'c', index: 0, event_id: 1, date: 1, received: 1 };
    const log = memoryLog();
    await append(log, [
      rewardRefused.create({ rule_id: 1, referral_id: 1, event, reason: 'no_rate', at }),
      payoutRequested.create({
        payouts: [
          { payout_id: 1, amount: '1', unit_id: null },
          { payout_id: 2, amount: '1', unit_id: 3 },
        ],
        method: 'webhook',
        initiated_by: 'api',
        nonce: 'n',
        at,
      }),
      payoutAttemptFailed.create({ payout_id: 1, attempt: 1, status: null, error: 'e', next_at: 2, sent: false, at }),
      payoutPaid.create({ payout_id: 1, by: 'webhook', status: 200, reason: null, at }),
      payoutPaid.create({ payout_id: 2, by: 'admin', status: null, reason: null, at }),
      batchAnswered.create({
        broadcast_id: 1,
        claim: 1,
        outcomes: [
          {
            outcome: 'delivered',
            reason: null,
            recipients: [
              [0, 9],
              [20, 20],
            ],
          },
          { outcome: 'not_delivered', reason: 'r', without_call: true, recipients: [[10, 11]] },
        ],
      }),
      batchAbandoned.create({ broadcast_id: 1, claim: 1, recipients: [[12, 14]] }),
    ]);
    expect(await samples('botledger_accruals_total')).toEqual({ '{result="no_rate"}': 1 });
    expect(await samples('botledger_payouts_total')).toEqual({ '{result="requested"}': 2, '{result="paid"}': 2 });
    expect(await samples('botledger_webhook_attempts_total')).toEqual({ '{result="paid"}': 1, '{result="unsent"}': 1 });
    expect(await samples('botledger_broadcast_recipients_total')).toEqual({
      '{result="delivered"}': 11,
      '{result="unknown"}': 3,
      '{result="not_called"}': 2,
    });
  });
});
