import { expect } from 'vitest';
import type { Action } from './client-program.ts';
import type { Fault } from './faulty-proxy.ts';
import { queueScenarios } from './queue-scenarios.ts';
import { dataOf, type Scenarios, type Scene } from './scene.ts';
import { surface } from './surface-scenarios.ts';

const post = (operation: string, path: string, body: unknown, idempotency_key?: string): Action => ({
  do: 'call',
  operation,
  method: 'POST',
  path,
  body,
  ...(idempotency_key !== undefined && { idempotency_key }),
});
const payout = (key?: string) => post('requestReferralPayout', '/v1/referral/payout', { user_id: 1 }, key);
const balance: Action = {
  do: 'call',
  operation: 'getReferralBalance',
  method: 'GET',
  path: '/v1/referral/balance',
  query: { user_id: 1 },
};

/** Checks that each attempt had the key of the first one, and its bytes. */
function sameAttempts({ proxy }: Scene, attempts: number): void {
  const [first] = proxy.arrived;
  expect(first!.key).toMatch(/^.{16,255}$/);
  expect(proxy.arrived.map(({ key, body }) => ({ key, body }))).toEqual(
    Array.from({ length: attempts }, () => ({ key: first!.key, body: first!.body })),
  );
}

/** A payout comes through these faults, and there is one. */
const onePayout =
  (...faults: Fault[]) =>
  async (scene: Scene): Promise<void> => {
    await scene.earn('5');
    scene.proxy.plan(...faults);
    const { payout_ids } = await dataOf(scene.run([payout()]));
    sameAttempts(scene, faults.length + 1);
    const { payouts } = await scene.read('/v1/referral/payouts?user_id=1');
    expect(payouts.map(({ payout_id }: { payout_id: number }) => payout_id)).toEqual(payout_ids);
    expect(payouts).toHaveLength(1);
  };

export const scenarios: Scenarios = {
  ...surface,
  ...queueScenarios,
  'a payout is one after 2 lost answers': onePayout('lost answer', 'lost answer'),

  'a payout is one after 2 resets behind the service': onePayout('reset after', 'reset after'),

  'a payout is one after 2 resets before the service': onePayout('reset before', 'reset before'),

  'a payout is one after 2 answers that end too early': onePayout('cut answer', 'cut answer'),

  'a payout is one after an unknown outcome and a conflict with itself': onePayout(
    { status: 500, error: 'outcome unknown, repeat with the same Idempotency-Key', carriedOut: true },
    { status: 409, error: 'a request with this Idempotency-Key is being worked on' },
  ),

  'a payout is one after a 502 and a 504 of a proxy': onePayout(
    { status: 502, body: '<h1>Bad Gateway</h1>', carriedOut: true },
    { status: 504, body: '<h1>Gateway Timeout</h1>', carriedOut: true },
  ),

  'a payout is one after a plain 500 and a 200 that is cut': onePayout(
    { status: 500, body: 'Internal Server Error', carriedOut: true },
    { status: 200, body: '{"ok":true,"data":{"payout_', carriedOut: true },
  ),

  'a payout is one after a 200 that is empty and one that is no JSON': onePayout(
    { status: 200, body: '', carriedOut: true },
    { status: 200, body: '<h1>Log in</h1>', carriedOut: true },
  ),

  async 'a payout is one after an answer that is too late'(scene) {
    await scene.earn('5');
    scene.proxy.plan({ delayMs: 3000 });
    const { payout_ids } = await dataOf(scene.run([payout()], { timeout_ms: 1500 }));
    sameAttempts(scene, 2);
    expect((await scene.read('/v1/referral/payouts?user_id=1')).payouts).toMatchObject([{ payout_id: payout_ids[0] }]);
  },

  async 'a payout is one when the caller repeats its key after all answers were lost'(scene) {
    await scene.earn('5');
    scene.proxy.plan('lost answer', 'lost answer', 'lost answer');
    const [first] = await scene.run([payout('payout 7')]);
    expect(first).toMatchObject({ ok: false, error: { kind: 'connection', status: null } });
    expect(scene.proxy.arrived).toHaveLength(3);
    const { payout_ids } = await dataOf(scene.run([payout('payout 7')]));
    expect(scene.proxy.arrived.map(({ key }) => key)).toEqual(Array.from({ length: 4 }, () => 'payout 7'));
    expect((await scene.read('/v1/referral/payouts?user_id=1')).payouts).toMatchObject([{ payout_id: payout_ids[0] }]);
  },

  async 'a referral code is one after 2 lost answers'(scene) {
    scene.proxy.plan('lost answer', 'reset after');
    const { code } = await dataOf(scene.run([post('createReferralCode', '/v1/referral/create-code', { user_id: 1 })]));
    sameAttempts(scene, 3);
    expect((await scene.read('/v1/referral/codes?user_id=1')).codes).toMatchObject([{ code }]);
  },

  async 'a referral code by GET is one after 2 lost answers'(scene) {
    scene.proxy.plan('lost answer', 'reset after');
    const path = '/v1/referral/create-code';
    const call: Action = {
      do: 'call',
      operation: 'createReferralCodeByGet',
      method: 'GET',
      path,
      query: { user_id: 1 },
    };
    const { code } = await dataOf(scene.run([call]));
    sameAttempts(scene, 3);
    expect((await scene.read('/v1/referral/codes?user_id=1')).codes).toMatchObject([{ code }]);
  },

  async 'a broadcast is one after 2 lost answers, and reaches each recipient once'(scene) {
    scene.proxy.plan('lost answer', 'cut answer');
    const text = `Hello from ${scene.bot.publicKey}`;
    const broadcast = {
      type: 'sendMessage',
      name: 'Spring sale',
      message: { text },
      segmentations: { include: [{ type: 'all', config: {} }] },
      activate: true,
    };
    await dataOf(scene.run([post('createBroadcast', '/v1/broadcast/create', broadcast)]));
    sameAttempts(scene, 3);
    expect((await scene.read('/v1/broadcast/list')).items).toHaveLength(1);
    await expect
      .poll(async () => (await scene.read('/v1/broadcast/list')).items[0])
      .toMatchObject({ count_recipients: 2, count_delivered: 2 });
    const chats = scene.platform.calls.filter(({ parameters }) => parameters['text'] === text);
    expect(chats.map(({ chatId }) => chatId).sort()).toEqual([1, 2]);
  },

  async 'each event counts once after 2 lost answers'(scene) {
    scene.proxy.plan('lost answer', 'reset after');
    const events = Array.from({ length: 10 }, () => ({ event: 'opened', user_id: 1 }));
    await dataOf(scene.run([post('sendEvent', '/v1/send-event', events)]));
    sameAttempts(scene, 3);
    expect(await scene.counts()).toMatchObject({ opened: 10 });
  },

  async 'a refusal of a gateway and a redirect are reported as such'(scene) {
    scene.proxy.plan({ status: 403, body: '{"error":{"code":403}}' }, { status: 302, body: '', location: '/login' });
    const results = await scene.run([payout(), payout()]);
    expect(results).toMatchObject([
      { ok: false, error: { kind: 'permission', status: 403, message: 'the service answered 403' } },
      { ok: false, error: { kind: 'server', status: 302, message: expect.stringContaining('a redirect to /login') } },
    ]);
    expect(scene.proxy.arrived).toHaveLength(2);
  },

  async 'the 502 of a report that took too long is final'(scene) {
    const error = 'the report took longer than 15000 ms: narrow the period';
    scene.proxy.plan({ status: 502, error });
    const report = { type: 'segmentation', requests: [{ event: 'x' }], date_from: '2026-01-01', date_to: '2026-01-02' };
    const [result] = await scene.run([post('previewReport', '/v1/reports/preview', { report_config: report })]);
    expect(result).toMatchObject({ ok: false, error: { kind: 'server', status: 502, message: error } });
    expect(scene.proxy.arrived).toHaveLength(1);
  },

  async 'a wait that the service asks for is kept'(scene) {
    scene.proxy.plan(
      { status: 429, error: 'too many requests with this key', retryAfter: '1' },
      { status: 503, error: 'overloaded', retryAfter: '0' },
    );
    await dataOf(scene.run([balance], { delay_factor: 1 }));
    const [first, second, third] = scene.proxy.arrived.map(({ at }) => at);
    // A timer may end 1 ms early.
    expect(second! - first!).toBeGreaterThanOrEqual(999);
    expect(third! - second!).toBeLessThan(500);
  },

  async 'a wait of more than a minute ends the call'(scene) {
    scene.proxy.plan({ status: 503, error: 'overloaded', retryAfter: '61' });
    const [result] = await scene.run([balance]);
    expect(result).toMatchObject({ ok: false, error: { kind: 'unavailable', status: 503, message: 'overloaded' } });
    expect(scene.proxy.arrived).toHaveLength(1);
  },

  async 'a refused call is not repeated, and the error says where'(scene) {
    const wrong = post('sendEvent', '/v1/send-event', { event: 'x', user_id: 'Ada' });
    const wrongTargets = post('sendTarget', '/v1/send-target', [
      { target_id: 1, user_id: 1 },
      { target_id: 'one', user_id: 1 },
    ]);
    const nothing = payout();
    const unknown = post('activateBroadcast', '/v1/broadcast/activate', { id: 4711 });
    scene.proxy.plan();
    const results = await scene.run([wrong, wrongTargets, nothing, unknown]);
    expect(scene.proxy.arrived).toHaveLength(4);
    expect(results).toMatchObject([
      { ok: false, error: { kind: 'invalid', status: 400, details: [{ path: 'user_id' }] } },
      { ok: false, error: { kind: 'invalid', status: 400, details: [{ path: '1.target_id' }] } },
      { ok: false, error: { kind: 'invalid', status: 400, message: expect.stringMatching(/^no available balance/) } },
      { ok: false, error: { kind: 'not_found', status: 404 } },
    ]);
  },

  async 'an unknown key is refused at once'(scene) {
    scene.proxy.plan();
    const [result] = await scene.run([balance], { api_key: 'unknown:key' });
    expect(result).toMatchObject({ ok: false, error: { kind: 'authentication', status: 401, details: [] } });
    expect(scene.proxy.arrived).toHaveLength(1);
  },

  async 'a message is never sent twice to try it'(scene) {
    scene.proxy.plan('lost answer');
    const body = { type: 'sendMessage', message: { text: `Try ${scene.bot.publicKey}` }, chat_id: 2 };
    const [result] = await scene.run([post('testSend', '/v1/broadcast/test-send', body)]);
    expect(result).toMatchObject({ ok: false, error: { kind: 'connection' } });
    expect(scene.proxy.arrived).toMatchObject([{ key: null }]);
  },

  async 'amounts keep every digit'(scene) {
    await scene.earn('999999999999999');
    // By both rules.
    await scene.earn('0.01');
    const data = await dataOf(scene.run([balance]));
    expect(data.balance).toMatchObject([{ available: '1999999999999998.01', paid: '0' }]);
    scene.proxy.plan();
    const event = { event: 'paid', user_id: 1, value_num: '0.1000000000000000000001' };
    await dataOf(scene.run([post('sendEvent', '/v1/send-event', event)]));
    expect(scene.proxy.arrived[0]!.body).toMatch(/"value_num":\s*0\.1000000000000000000001[,}]/);
  },

  async 'pages give each item once'(scene) {
    await scene.earn('5', 7);
    scene.proxy.plan(undefined, 'lost answer');
    const path = '/v1/referral/accruals';
    const query = { user_id: 1, limit: 3 };
    const items = await dataOf(
      scene.run([{ do: 'pages', operation: 'listReferralAccruals', method: 'GET', path, query, items: 'accruals' }]),
    );
    const { accruals } = await scene.read(`${path}?user_id=1&limit=200`);
    expect(accruals).toHaveLength(7);
    expect(items.map(({ id }: { id: number }) => id)).toEqual(accruals.map(({ id }: { id: number }) => id));
    expect(items.map(({ amount }: { amount: string }) => amount)).toEqual(Array.from({ length: 7 }, () => '5'));
    expect(scene.proxy.arrived).toHaveLength(4);
  },
};
