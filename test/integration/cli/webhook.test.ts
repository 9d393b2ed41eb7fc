import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accrue-rewards.ts';
import { beginAttempt, endAttempt } from '../../../src/commands/referral/announce-payout.ts';
import { requestPayout } from '../../../src/commands/referral/payouts.ts';
import { startTestCli, type TestCli } from '../../support/cli.ts';

let cli: TestCli;
let shop: string;

beforeAll(async () => {
  cli = await startTestCli();
  const { owner_id } = await cli.json('owner', 'create', '--name', 'Ann');
  shop = (await cli.json('bot', 'create', '--owner', String(owner_id), '--name', 'Shop')).public_key;
});
afterAll(() => cli.close());

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

it('shows the secret, which a change of the address keeps and a rotation replaces', async () => {
  const { secret, ...rest } = await cli.json('webhook', 'set', '--bot', shop, '--url', 'https://example.com/pay');
  expect(secret).toMatch(SECRET);
  expect(rest).toEqual({});
  expect(await cli.json('webhook', 'set', '--bot', shop, '--url', 'https://example.com/other')).toEqual({ secret });
  const replaced = await cli.json('webhook', 'rotate-secret', '--bot', shop);
  expect(replaced.secret).toMatch(SECRET);
  expect(replaced.secret).not.toBe(secret);
  const log = JSON.stringify(cli.log.commits);
  for (const shown of [secret, replaced.secret]) expect(log).not.toContain(shown.slice('whsec_'.length));
});

it('refuses an unknown bot, a wrong address, and a bot without a webhook', async () => {
  const { owner_id } = await cli.json('owner', 'create', '--name', 'Bea');
  const { public_key: bare } = await cli.json('bot', 'create', '--owner', String(owner_id), '--name', 'Bare');
  for (const [argv, says] of [
    [['set', '--bot', 'bnone', '--url', 'https://example.com'], 'there is no bot bnone'],
    [['deliveries', '--bot', 'bnone'], 'there is no bot bnone'],
    [['set', '--bot', shop, '--url', 'example.com'], 'the url must be one'],
    [['set', '--bot', shop, '--url', 'ftp://example.com'], 'the url must begin with https:// or http://'],
    [['set', '--bot', shop, '--url', 'http://example.com'], 'the url must begin with https://: http:// is for'],
    [['set', '--bot', shop, '--url', 'https://10.0.0.1'], 'the url must lead to the public internet'],
    [['rotate-secret', '--bot', bare], 'the bot has no webhook'],
  ] as const) {
    const { code, err } = await cli.run('webhook', ...argv);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(says) });
  }
});

it('lists every attempt to announce a payout to the client, the latest first', async () => {
  const accounts = createAccounts(cli);
  const rule = { rule_id: 1, reward_type: 'fixed' as const, amount: '3', percent: null, unit_id: null, hold_days: '0' };
  const event = { commit_id: 'c', index: 0, event_id: 101, date: 0, received: 0 };
  const payouts: number[] = [];
  const present = { address: 1, setAt: 0 };
  for (const userId of [7, 8]) {
    await accrueRewards(accounts, { bot: shop, referrer: userId, items: [{ rule, referral_id: 9, event }] });
    const asked = { bot: shop, userId, method: 'webhook' as const, initiated_by: 'api' as const };
    const { payout_id: payoutId } = await requestPayout(accounts, asked);
    const key = { bot: shop, userId, payoutId };
    const attempt = (await beginAttempt(accounts, key, [0, 5], present))!;
    const failed = { result: 'again', sent: true, status: 500, error: 'answered 500', retryAfter: null } as const;
    await endAttempt(accounts, key, attempt, failed, [0, 5]);
    payouts.push(payoutId);
    cli.sources.advance(10_000);
  }
  const [first, second] = payouts;
  expect(await beginAttempt(accounts, { bot: shop, userId: 7, payoutId: first! }, [0, 5], present)).toBe(2);
  const all = await cli.json('webhook', 'deliveries', '--bot', shop);
  const row = { status: 500, error: 'answered 500', at: expect.stringMatching(/^2025-01-15T12:00:\d\d\.000Z$/) };
  const idOf = (payoutId: unknown) => expect.stringMatching(new RegExp(`^payout_${payoutId}_[0-9a-f]{16}$`));
  expect(all).toEqual([
    { ...row, payout_id: first, webhook_id: idOf(first), attempt: 2, status: null, error: null },
    { ...row, payout_id: second, webhook_id: idOf(second), attempt: 1 },
    { ...row, payout_id: first, webhook_id: idOf(first), attempt: 1 },
  ]);
  expect(all[0].webhook_id, 'the same for each attempt').toBe(all[2].webhook_id);
  expect(await cli.json('webhook', 'deliveries', '--bot', shop, '--payout', String(second))).toEqual([all[1]]);
  const { code } = await cli.run('webhook', 'deliveries', '--bot', shop, '--payout', 'x');
  expect(code).toBe(2);
});
