import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { rotatePayoutSecret, setPayoutWebhook } from '../../../src/commands/referral/payout-webhook.ts';
import { administerPayout } from '../../../src/commands/referral/payouts.ts';
import { type EventLog, LogUnavailableError } from '../../../src/log/port.ts';
import { type DeliveryOptions, deliveries } from '../../../src/processes/payouts/deliveries.ts';
import { listDeliveries } from '../../../src/queries/referral/find-deliveries.ts';
import { pause } from '../../../src/util/pause.ts';
import { deliveryTests, HOUR, SECOND } from '../../support/delivery-tests.ts';
import { longOnly } from '../../support/long-only.ts';
import type { PayoutName } from '../../support/payout-setup.ts';
import { webhookReceiver } from '../../support/webhook-receiver.ts';

/** Payouts are announced to clients. */

const given = deliveryTests();
const { becomes, still } = given;
const run = (options?: DeliveryOptions, env?: Record<string, string>, log?: EventLog) =>
  given.setup.run([deliveries(options)], env, log);
const calls = (count: number) => expect.poll(() => given.client.calls.length).toBe(count);
/** An administrator cancels it. */
const cancels = (name: PayoutName, { force = false }) =>
  administerPayout(createAccounts(given.setup.context), { ...name, action: 'cancel', force });
/** Makes the client pay the payouts that are left at the end of the test. */
async function settle(...names: PayoutName[]): Promise<void> {
  given.client.answers(200);
  given.setup.advance(HOUR);
  for (const name of names) await becomes(name, { status: 2 });
}
const listed = (bot: string, payoutId?: number) =>
  listDeliveries({ pool: given.setup.database.pool, accounts: 'accounts_v1' }, bot, payoutId);
const typesOf = async (name: PayoutName): Promise<string[]> =>
  (await given.setup.events(name.bot, name.userId)).map(({ type }) => type).filter((type) => type.startsWith('payout'));

describe('a payout', () => {
  it('is announced once, signed, and paid by any 2xx but 202', async () => {
    const { bot, unitId, secret } = await given.setup.bot(given.client.url);
    run();
    for (const [index, status] of [200, 201, 204, 299].entries()) {
      given.client.answers(status);
      const name = await given.setup.payout(bot, unitId, '12.50');
      await becomes(name, { status: 2, attempts: 1, processed_at: given.setup.now() });
      const { headers, body } = given.client.calls[index]!;
      expect(headers['webhook-id']).toMatch(new RegExp(`^payout_${name.payoutId}_[0-9a-f]{16}$`));
      // The independent verifier wants a clock that is near the real one.
      vi.useFakeTimers({ now: given.setup.now(), toFake: ['Date'] });
      const announced = new Webhook(secret!).verify(body, headers as Record<string, string>);
      vi.useRealTimers();
      expect(announced).toEqual({
        type: 'payout.created',
        timestamp: new Date(given.setup.now()).toISOString(),
        data: { payout_id: name.payoutId, user_id: name.userId, amount: 12.5, unit_id: unitId, unit: 'USD', bot },
      });
      expect(await typesOf(name)).toEqual(['payout_requested', 'payout_attempted', 'payout_paid']);
    }
    await still(4);
  });

  it('stays in process after 202 until an administrator confirms or fails it', async () => {
    const { bot } = await given.setup.bot(given.client.url);
    given.client.answers(202);
    run();
    const name = await given.setup.payout(bot, null);
    await becomes(name, { status: 1, attempt: 'accepted' });
    expect(JSON.parse(given.client.calls[0]!.body).data).toMatchObject({ unit_id: null, unit: null });
    given.setup.advance(200 * HOUR);
    await still(1);
    const accounts = createAccounts(given.setup.context);
    await administerPayout(accounts, { ...name, action: 'fail', force: false });
    await administerPayout(accounts, { ...name, action: 'retry', force: false });
    given.client.answers(200);
    await becomes(name, { status: 2, attempts: 2 });
    expect(given.client.calls[1]!.body).toBe(given.client.calls[0]!.body);
    expect(given.client.calls[1]!.headers['webhook-id']).toBe(given.client.calls[0]!.headers['webhook-id']);
  });

  it('is announced repeatedly over days with the same bytes, and fails for good after the last time', async () => {
    const { bot, unitId } = await given.setup.bot(given.client.url);
    const answers = [500, 404, 302, 429, 503, 400, 301, 502, 401];
    given.client.answers((_, response) => {
      response
        .writeHead(answers[given.client.calls.length - 1] ?? 500, { location: `${given.client.url}/elsewhere` })
        .end();
    });
    run();
    const name = await given.setup.payout(bot, unitId);
    const delays = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [index, delay] of delays.entries()) {
      await calls(index + 1);
      await becomes(name, { status: 1, attempt: 'failed', attempts: index + 1 });
      const wait = (await given.setup.payoutState(name)).next_at! - given.setup.now();
      expect(wait).toBeGreaterThanOrEqual(delay * 0.8 * SECOND);
      expect(wait).toBeLessThanOrEqual(delay * 1.2 * SECOND);
      given.setup.advance(wait - 1);
      await pause(150);
      expect(given.client.calls).toHaveLength(index + 1);
      given.setup.advance(1);
    }
    await becomes(name, { status: 3, attempts: 10 });
    given.setup.advance(1000 * HOUR);
    await still(10);
    expect(new Set(given.client.calls.map(({ body }) => body)).size).toBe(1);
    expect(new Set(given.client.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const times = given.client.calls.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(200_000);
    expect(given.client.calls.every(({ path }) => path === '/hook')).toBe(true);
    const all = async () =>
      (await listed(bot, name.payoutId)).map(({ attempt, status }) => [attempt, status]).reverse();
    await expect.poll(all).toEqual([...answers, 500].map((status, index) => [index + 1, status]));
    expect((await listed(bot))[0]).toMatchObject({
      webhook_id: given.client.calls.at(-1)!.headers['webhook-id'],
      error: 'answered 500',
    });
  });

  it('waits for Retry-After, and is given up at 410', async () => {
    const { bot } = await given.setup.bot(given.client.url);
    given.client.answers((_, response) => response.writeHead(503, { 'retry-after': '3600' }).end());
    run();
    const name = await given.setup.payout(bot, null);
    await becomes(name, { attempt: 'failed', next_at: given.setup.now() + HOUR });
    given.client.answers(410);
    given.setup.advance(HOUR);
    await becomes(name, { status: 3, attempts: 2 });
    expect((await typesOf(name)).slice(-2)).toEqual(['payout_attempt_failed', 'payout_failed']);
    await expect(cancels(name, {})).rejects.toThrow('may have paid');
    await cancels(name, { force: true });
  });

  it('fails at once without a webhook, and can be retried when there is one', async () => {
    const { bot } = await given.setup.bot();
    run();
    const name = await given.setup.payout(bot, null);
    await becomes(name, { status: 3, attempts: 0 });
    expect((await given.setup.events(bot, name.userId)).at(-1)!.data).toMatchObject({
      error: expect.stringContaining('the bot has no webhook'),
    });
    await setPayoutWebhook(given.setup.context, bot, given.client.url);
    await administerPayout(createAccounts(given.setup.context), { ...name, action: 'retry', force: false });
    await becomes(name, { status: 2 });
  });

  it('is signed by both secrets for a day after a rotation', async () => {
    const { bot, secret } = await given.setup.bot(given.client.url);
    const { secret: second } = await rotatePayoutSecret(given.setup.context, bot);
    expect(second).not.toBe(secret);
    run();
    const signatures = async (): Promise<number[]> => {
      const count = given.client.calls.length;
      await becomes(await given.setup.payout(bot, null), { status: 2 });
      const { headers, body } = given.client.calls[count]!;
      vi.useFakeTimers({ now: given.setup.now(), toFake: ['Date'] });
      const verified = [secret, second].map((each) => {
        try {
          new Webhook(each!).verify(body, headers as Record<string, string>);
          return 1;
        } catch {
          return 0;
        }
      });
      vi.useRealTimers();
      return [...verified, headers['webhook-signature']!.toString().split(' ').length];
    };
    expect(await signatures()).toEqual([1, 1, 2]);
    given.setup.advance(24 * HOUR);
    expect(await signatures()).toEqual([0, 1, 1]);
    const text = JSON.stringify((await given.setup.log.read(`webhook-${bot}`)).commits);
    for (const each of [secret!, second!]) expect(text).not.toContain(each.slice('whsec_'.length));
  });
});

describe('a client', () => {
  it('that is slow delays no other client', async () => {
    const slow = await webhookReceiver();
    const held: ServerResponse[] = [];
    slow.answers((_, response) => held.push(response));
    const [hanging, quick] = [await given.setup.bot(slow.url), await given.setup.bot(given.client.url)];
    const waiting: PayoutName[] = [];
    for (let i = 0; i < 12; i++) waiting.push(await given.setup.payout(hanging.bot, null));
    run();
    await expect.poll(() => held.length).toBe(4);
    for (let i = 0; i < 5; i++) await becomes(await given.setup.payout(quick.bot, null), { status: 2 });
    expect(held).toHaveLength(4);
    slow.answers(200);
    for (const response of held) response.writeHead(500).end();
    const failed = async () => (await listed(hanging.bot)).filter(({ status }) => status === 500).length;
    await expect.poll(failed).toBe(4);
    await settle(...waiting);
    await slow.close();
  });

  it('has 20 s to answer (here one)', async () => {
    const { bot } = await given.setup.bot(given.client.url);
    given.client.answers(() => {}); // never
    run({ timeoutMs: 1000 });
    const name = await given.setup.payout(bot, null);
    await becomes(name, { attempt: 'failed', attempts: 1 });
    await expect
      .poll(async () => (await listed(bot))[0])
      .toMatchObject({ status: null, error: 'no answer within 1 s' });
    await settle(name);
  });

  it('that sends without end, or byte by byte, counts by its status, and its body is not kept', async () => {
    const { bot } = await given.setup.bot(given.client.url);
    let sent = 0;
    given.client.answers((_, response) => {
      response.writeHead(200);
      const part = Buffer.alloc(64 * 1024);
      const flood = (): void => {
        while (!response.destroyed && sent < 1e9 && response.write(part)) sent += part.length;
      };
      response.on('drain', flood);
      flood();
    });
    run({ timeoutMs: 2000 });
    await becomes(await given.setup.payout(bot, null), { status: 2 });
    given.client.answers((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(drip));
    });
    await becomes(await given.setup.payout(bot, null), { status: 2 });
    expect(sent).toBeLessThan(20e6);
    given.client.answers((_, response) => response.socket!.destroy());
    const cut = await given.setup.payout(bot, null);
    await becomes(cut, { attempt: 'failed', attempts: 1 });
    expect((await given.setup.events(bot, cut.userId)).at(-1)).toMatchObject({ data: { sent: true, status: null } });
    given.client.answers((_, response) => response.socket!.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`));
    const bloated = await given.setup.payout(bot, null);
    await becomes(bloated, { attempt: 'failed', attempts: 1 });
    await settle(cut, bloated);
  });
});

describe('an address that must not be called', () => {
  const NOTHING_ALLOWED = { WEBHOOK_ALLOWED_NETWORKS: '' };
  it.each([
    ['a private one behind a name', 'https://pay.example/hook', ['10.0.0.7']],
    ['the metadata of a cloud', 'https://pay.example/hook', ['169.254.169.254']],
    ['one in the form of the other family', 'https://pay.example/hook', ['::ffff:192.168.0.1', 'fe80::1']],
    ['one that is written as such', 'https://127.0.0.1/hook', []],
    ['one that is written in a strange way', 'https://0x7f.1/hook', []],
    ['one of the other family', 'https://[::ffff:127.0.0.1]/hook', []],
    ['a public one without TLS', 'http://pay.example/hook', ['93.184.216.34']],
  ])('%s: nothing is connected to, and the payout fails at once', async (_, url, addresses) => {
    const dial = vi.fn();
    const { bot } = await given.setup.bot(url);
    run({ lookup: async () => addresses, dial }, NOTHING_ALLOWED);
    const name = await given.setup.payout(bot, null);
    await becomes(name, { status: 3, attempts: 1 });
    expect(dial).not.toHaveBeenCalled();
    const [attempt] = await given.setup.events(bot, name.userId).then((events) => events.slice(-1));
    expect(attempt!.data).toMatchObject({ error: expect.stringContaining('no address that may be called') });
    await cancels(name, {});
  });

  it('is left out if a name has others; the dialled address is the checked one', async () => {
    const dial = vi.fn((_options: { hostname: string }, done: (error: Error, socket: null) => void) =>
      done(new Error('no answer'), null),
    );
    const { bot } = await given.setup.bot('https://pay.example/hook');
    const stop = run(
      { lookup: async () => ['10.0.0.7', '93.184.216.34', '1.1.1.1'], dial: dial as never },
      NOTHING_ALLOWED,
    );
    const name = await given.setup.payout(bot, null);
    await becomes(name, { attempt: 'failed' });
    expect((await given.setup.events(bot, name.userId)).at(-1)).toMatchObject({
      type: 'payout_attempt_failed',
      data: { sent: false, error: 'the call failed: no answer' },
    });
    await stop();
    expect(dial.mock.calls.map(([{ hostname }]) => hostname)).toEqual(['93.184.216.34', '1.1.1.1']);
    expect(dial.mock.calls[0]![0]).toMatchObject({ servername: 'pay.example' });
    await setPayoutWebhook(given.setup.context, bot, given.client.url);
    run();
    await settle(name);
  });
});

describe('what was cut off', () => {
  longOnly('between the call and its record is repeated, and has one end', async () => {
    const { bot } = await given.setup.bot(given.client.url);
    const broken: EventLog = {
      ...given.setup.log,
      append: (commit) =>
        commit.events.some(({ type }) => type === 'payout_paid')
          ? Promise.reject(new LogUnavailableError('down'))
          : given.setup.log.append(commit),
    };
    const stop = run({}, {}, broken);
    const name = await given.setup.payout(bot, null);
    await calls(1);
    await becomes(name, { status: 1, attempt: 'open' });
    await stop();
    run();
    await still(1);
    given.setup.advance(45 * SECOND);
    await becomes(name, { status: 2, attempts: 2 });
    expect(given.client.calls[1]!.body).toBe(given.client.calls[0]!.body);
    expect((await typesOf(name)).filter((type) => type === 'payout_paid')).toHaveLength(1);
    await expect
      .poll(async () => (await listed(bot)).map(({ error, status }) => [error, status]))
      .toEqual([
        [null, 200],
        ['cut off', null],
      ]);
  });

  it('by concurrent instances is made by one of them', async () => {
    const { bot } = await given.setup.bot(given.client.url);
    const both = { ...deliveries(), instances: 'all' as const };
    given.setup.run([both]);
    given.setup.run([both]);
    const names: PayoutName[] = [];
    for (let i = 0; i < 20; i++) names.push(await given.setup.payout(bot, null));
    for (const name of names) await becomes(name, { status: 2, attempts: 1 });
    expect(given.client.calls).toHaveLength(20);
  });
});
