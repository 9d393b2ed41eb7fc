import { expect } from 'vitest';
import { secretText, signedHeaders } from '../../src/domain/referral/delivery.ts';
import type { Action } from './client-program.ts';
import type { Scenarios } from './scene.ts';

/** The parts of a client besides its calls: the hook for requests and webhooks. */

const BALANCE: Action = {
  do: 'call',
  operation: 'getReferralBalance',
  method: 'GET',
  path: '/v1/referral/balance',
  query: { user_id: 1 },
};

const NOW_S = Date.UTC(2026, 0, 15) / 1000;
const [former, current, other] = [1, 2, 3].map((byte) => secretText(new Uint8Array(32).fill(byte))) as [
  string,
  string,
  string,
];
const NOTICE =
  '{"type":"payout.created","timestamp":"2026-01-15T00:00:00.000Z","data":{"payout_id":17,"user_id":42,"amount":0.10000000000000000001,"unit_id":3,"unit":"USD","bot":"b"}}';

function verify(signedWith: readonly string[], secrets: readonly string[], change: object = {}): Action {
  const headers = signedHeaders({ payout_id: 17, nonce: 'f'.repeat(16) } as never, NOTICE, signedWith, NOW_S * 1000);
  return { do: 'verify', body: NOTICE, headers, secrets, now_s: NOW_S, ...change };
}

export const surface: Scenarios = {
  'the hook gets each attempt of a call, under the request id that was sent': async (scene) => {
    scene.proxy.plan({ status: 503, error: 'busy' }, 'reset before');
    const results = await scene.run([BALANCE, { do: 'reports' }]);
    const reports = results[1]!;
    if (!reports.ok) throw new Error(reports.error.message);
    const { data } = reports;
    const { request_id } = data[0];
    const usual = { method: 'GET', path: '/v1/referral/balance', request_id, measured: true };
    expect(data).toEqual([
      { ...usual, attempt: 1, status: 503, error: request_id },
      { ...usual, attempt: 2, status: null, error: request_id },
      { ...usual, attempt: 3, status: 200, error: null },
    ]);
    expect(request_id).toMatch(/^[A-Za-z0-9_.-]{16,64}$/);
    expect(scene.proxy.arrived.map((each) => each.requestId)).toEqual([request_id, request_id, request_id]);
  },

  'an announced payout is verified, by either secret of a rotation': async (scene) => {
    const results = await scene.run([
      verify([current], [current]),
      verify([current, former], [former]),
      verify([former], [current, former]),
    ]);
    for (const result of results) {
      const { data } = (result as { data: { data: object } }).data;
      expect(data).toMatchObject({ payout_id: 17, user_id: 42, amount: '0.10000000000000000001', unit: 'USD' });
    }
  },

  'a payout with another secret, changed, old or without a signature is refused': async (scene) => {
    const results = await scene.run([
      verify([current], [other]),
      verify([current], [current], { body: NOTICE.replace('42', '43') }),
      verify([current], [current], { now_s: NOW_S + 3600 }),
      verify([], [current]),
    ]);
    expect(results).toEqual(Array(4).fill({ ok: true, data: null }));
  },
};
