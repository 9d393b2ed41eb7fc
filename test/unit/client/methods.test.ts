import { describe, expect, it } from 'vitest';
import { refusal, scriptedClient } from '../../support/scripted-client.ts';

/** The methods by name do what `get` and `post` do. */

describe('a method by its name', () => {
  it('reads with its query', async () => {
    const { client, sent, answer } = scriptedClient();
    answer({ body: { ok: true, data: { balance: [{ available: 1 }] } } });
    const { balance } = await client.referrals.getReferralBalance({ user_id: 1 });
    expect([balance[0]!.available, sent[0]!.method, sent[0]!.url]).toEqual([
      '1',
      'GET',
      'http://service.test/v1/referral/balance?user_id=1',
    ]);
  });

  it('acts under the key that is given', async () => {
    const { client, sent, answer } = scriptedClient();
    answer(refusal(503, 'busy'), { body: { ok: true, data: { payout_id: 7, payout_ids: [7] } } });
    const { requestReferralPayout } = client.referrals;
    expect(await requestReferralPayout({ user_id: 1 }, { idempotencyKey: 'mine' })).toEqual({
      payout_id: 7,
      payout_ids: [7],
    });
    expect(sent.map(({ method, url, body, headers }) => [method, url, body, headers.get('idempotency-key')])).toEqual(
      Array(2).fill(['POST', 'http://service.test/v1/referral/payout', '{"user_id":1}', 'mine']),
    );
  });

  it('needs no query where none is required', async () => {
    const { client, sent } = scriptedClient();
    await client.reports.listResources();
    expect(sent[0]!.url).toBe('http://service.test/v1/reports/resources');
  });
});
