import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eraseUser } from '../../../src/commands/intake/personal-keys.ts';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accrue-rewards.ts';
import { changeRule } from '../../../src/commands/referral/change-rule.ts';
import { setPayoutWebhook } from '../../../src/commands/referral/payout-webhook.ts';
import { administerPayout } from '../../../src/commands/referral/payouts.ts';
import { utcDate } from '../../../src/domain/local-time.ts';
import { account } from '../../../src/domain/referral/account/account.ts';
import { accountStream } from '../../../src/domain/streams.ts';
import { accruals } from '../../../src/processes/accruals/accrual-process.ts';
import { oracle } from '../../support/account-oracle.ts';
import { item } from '../../support/account-samples.ts';
import { processed } from '../../support/processes.ts';
import { type RewardProgram, rewardProgram } from '../../support/reward-program.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver.ts';

/** Lists over all referrers of a bot. */

let service: TestService;
let client: WebhookReceiver;
let program: RewardProgram;
/** Of another owner. */
let other: RewardProgram;

beforeAll(async () => {
  [service, client] = await Promise.all([
    startTestService({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_RETRY_DELAYS: '0,3600' }),
    webhookReceiver(),
  ]);
  program = await rewardProgram(service);
  other = await rewardProgram(service);
});
afterAll(async () => {
  await service.stop();
  await client.close();
});

/** A referrer with `referrals` users who order once each; the rule earns 5 dollars an order. */
async function referrer(userId: number, referrals: number): Promise<void> {
  await program.call.message(userId);
  for (let n = 0; n < referrals; n++) await program.send({ user_id: await program.referral(userId) });
}

const data = (path: string) => program.call.data(path);
const idsOf = ({ referrers }: { readonly referrers: readonly { readonly user_id: number }[] }): number[] =>
  referrers.map(({ user_id }) => user_id);

describe('the referrers of a bot', () => {
  const [few, many, idle] = [101, 102, 103];
  beforeAll(async () => {
    await program.rule({});
    await program.rule({ name: 'Held', amount: '1.25', hold_days: '30' });
    await referrer(few, 1);
    await referrer(many, 3);
    await program.call.visit(201, await program.call.codeFor(idle));
    await service.projected();
    await processed(service, accruals.name);
    await service.projected();
  });

  it('are listed by referrals and by each amount, with the balances of their accounts', async () => {
    const { referrers, data_as_of } = await data('referrers');
    expect(idsOf({ referrers })).toEqual([many, few, idle]);
    expect(referrers.map((row: { referrals: number }) => row.referrals)).toEqual([3, 1, 1]);
    expect(Math.abs(Date.parse(data_as_of) - Date.now())).toBeLessThan(600_000);
    for (const { user_id, balance } of referrers) {
      const expected = oracle();
      const { commits } = await service.log.read(accountStream(program.bot.publicKey, user_id));
      for (const event of commits.flatMap(({ events }) => events.map(account.read))) expected.apply(event);
      const balances = [...expected.balances(service.commands.sources.now())].map(
        ([unit_id, [available, reserved, paid, on_hold]]) => ({
          ...{ unit_id, available: Number(available), reserved: Number(reserved), paid: Number(paid) },
          on_hold: Number(on_hold),
        }),
      );
      expect(balance.map(({ earned, ...row }: { earned: number }) => row)).toEqual(balances);
      expect((await data(`balance?user_id=${user_id}`)).balance).toEqual(balances);
    }
    expect(referrers[0].balance).toEqual([
      { unit_id: program.usd, available: 15, reserved: 0, paid: 0, on_hold: 3.75, earned: 18.75 },
    ]);
    for (const order of ['balance', 'earned'])
      expect(idsOf(await data(`referrers?order=${order}&unit_id=${program.usd}`))).toEqual([many, few]);
    expect(idsOf(await data('referrers?limit=1&offset=1'))).toEqual([few]);
    expect((await data(`referrers?user_id=${many}&order=paid`)).referrers).toEqual([referrers[0]]);
    expect((await data('referrers?user_id=404')).referrers).toEqual([]);
    expect(idsOf(await data('referrers?order=balance&unit_id=null'))).toEqual([]);
  });

  it('are ordered by what they were paid once they were paid', async () => {
    const { payout_id: payoutId } = await program.call.data('payout', { user_id: few, method: 'manual' });
    const accounts = createAccounts(service.commands);
    await administerPayout(accounts, {
      ...{ bot: program.bot.publicKey, userId: few, payoutId },
      ...{ action: 'confirm', force: false },
    });
    await service.projected();
    expect(idsOf(await data(`referrers?order=paid&unit_id=${program.usd}`))).toEqual([few, many]);
    expect(idsOf(await data(`referrers?order=balance&unit_id=${program.usd}`))).toEqual([many, few]);
    expect((await data(`entries?user_id=${few}&payout_id=${payoutId}`)).entries).toMatchObject([
      { amount: 5, rule_name: 'Orders', payout_id: payoutId, reversed_at: null, reason: null, compensates: null },
    ]);
  });

  it('are found by name and id in each order, and only among the list', async () => {
    const found = async (query: string) => idsOf(await data(`referrers?${query}`));
    expect(await found('search=user')).toEqual([many, few]);
    expect(await found('search=10')).toEqual([many, few, idle]);
    expect(await found('search=user&limit=1&offset=1')).toEqual([few]);
    expect(await found('search=USER%20101')).toEqual([few]);
    expect(await found(`search=10&order=earned&unit_id=${program.usd}`)).toEqual([many, few]);
    // Users who referred no user are not of the list; % is a letter.
    for (const search of ['201', '%', 'no such name'])
      expect(await found(`search=${encodeURIComponent(search)}`)).toEqual([]);
  });

  it('are read within the time of a search, as payouts are', async () => {
    const blocker = await service.database.pool.connect();
    try {
      await blocker.query('BEGIN; LOCK TABLE referral_v1.referrers, accounts_v1.payouts IN ACCESS EXCLUSIVE MODE');
      const asked = ['referrers', 'all-payouts'].map((list) => program.call.get(`${list}?search=user`));
      for (const answer of await Promise.all(asked))
        expect(answer).toMatchObject({
          status: 502,
          body: { error: 'searching the users: it took longer than 5000 ms' },
        });
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
  });

  it('are summed up in the steps of the program and its amounts', async () => {
    const { referrers } = await data('referrers');
    const sum = (key: 'earned' | 'reserved' | 'paid'): number =>
      referrers.reduce(
        (all: number, row: { balance: Record<string, number>[] }) => all + (row.balance[0]?.[key] ?? 0),
        0,
      );
    await program.call.visit(few, await program.call.codeFor(many));
    await program.call.data('mark-referral', { referral_user_id: 202, referrer_user_id: idle });
    await program.call.visit(203, 'codeofnone');
    await service.projected();
    const { data_as_of, ...totals } = await data('totals');
    expect(Date.parse(data_as_of)).not.toBeNaN();
    // A referrer opened a link, one user was only marked, and the code of another has no owner.
    expect(totals).toEqual({
      ...{ visited: 6, came: 5, referred: 7, rewarded: 4, referrers: 3 },
      amounts: [{ unit_id: program.usd, earned: sum('earned'), reserved: sum('reserved'), paid: sum('paid') }],
    });
    expect(totals.amounts[0]).toMatchObject({ earned: 25, paid: 5 });
  });

  it('lose their names when they are erased, not their balances', async () => {
    const named = (await data('referrers?limit=1')).referrers;
    expect(named).toMatchObject([{ user_id: many, first_name: `User ${many}`, username: null }]);
    await eraseUser(service.commands, program.bot.publicKey, many);
    await service.projected();
    expect((await data('referrers?limit=1')).referrers).toEqual([{ ...named[0], first_name: null }]);
  });
});

describe('the payouts of all referrers', () => {
  it('come newest first with what the webhook answered, of one status or of one referrer', async () => {
    await setPayoutWebhook(service.commands, other.bot.publicKey, client.url);
    const accounts = createAccounts(service.commands);
    const received = service.commands.sources.now();
    for (const [index, userId] of [1, 2, 3].entries()) {
      const each = item(index, { rule: { rule_id: 1, unit_id: null } });
      const items = [{ ...each, event: { ...each.event, date: received, received } }];
      await accrueRewards(accounts, { bot: other.bot.publicKey, referrer: userId, items });
    }
    await service.projected();
    client.answers(500);
    const { payout_id: first } = await other.call.data('payout', { user_id: 1 });
    const { payout_id: second } = await other.call.data('payout', { user_id: 2, method: 'manual' });
    await expect
      .poll(async () => (await other.call.data('all-payouts?user_id=1')).payouts[0].deliveries)
      .toMatchObject([{ attempt: 1, status: 500, error: expect.stringContaining('500') }]);
    const { payouts, data_as_of } = await other.call.data('all-payouts');
    expect(data_as_of).toMatch(/^\d{4}-/);
    const own = async (userId: number) => (await other.call.data(`payouts?user_id=${userId}`)).payouts[0];
    expect(payouts).toEqual([
      { ...(await own(2)), user_id: 2, first_name: null, username: null, error: null, reason: null, deliveries: [] },
      {
        ...(await own(1)),
        ...{ user_id: 1, first_name: 'User 1', username: null, error: expect.stringContaining('500'), reason: null },
        deliveries: [{ attempt: 1, at: expect.stringMatching(/^\d{4}-/), status: 500, error: expect.any(String) }],
      },
    ]);
    const listed = async (query: string): Promise<number[]> =>
      (await other.call.data(`all-payouts?${query}`)).payouts.map((row: { payout_id: number }) => row.payout_id);
    expect(await listed('status=0')).toEqual([second]);
    expect(await listed('status=1')).toEqual([first]);
    expect(await listed('status=1&user_id=2')).toEqual([]);
    expect(await listed('limit=1&offset=1')).toEqual([first]);
    expect(await listed('order=oldest')).toEqual([first, second]);
    expect(await listed('search=2')).toEqual([second]);
    expect(await listed('search=2&order=oldest&status=1')).toEqual([]);
    expect(await listed('unit_id=null&order=largest')).toHaveLength(2);
    expect(await listed(`unit_id=${other.usd}&order=largest`)).toEqual([]);
    expect(await listed(`payout_id=${first}`)).toEqual([first]);
    expect(await listed(`payout_id=${first}&user_id=2`)).toEqual([]);
  });
});

describe('the program of a bot', () => {
  it('is its rules as they are now, and its units', async () => {
    const third = await program.rule({
      name: '<img src=x onerror=alert(1)>',
      reward_type: 'percent',
      amount: null,
      percent: '2.9',
    });
    await changeRule(service.commands, { bot: program.bot.publicKey, ruleId: third }, { active: false });
    await service.projected();
    const { rules, units } = await data('program');
    expect(rules).toMatchObject([
      { name: 'Orders', trigger_event: 'Order', amount: 5, hold_days: 0, active: true },
      { name: 'Held', amount: 1.25, hold_days: 30 },
      { rule_id: third, name: '<img src=x onerror=alert(1)>', percent: 2.9, amount: null, active: false },
    ]);
    expect(units).toEqual([{ unit_id: program.usd, code: 'USD', name: null, scale: 2 }]);
  });
});

it('the chain of an account is that of the log, page by page, and another hash is refused', async () => {
  const user = 301;
  await referrer(user, 2);
  await service.projected();
  await processed(service, accruals.name);
  await service.projected();
  await program.call.data('payout', { user_id: user, method: 'manual' });
  const { commits, head } = await service.log.read(accountStream(program.bot.publicKey, user));
  const whole = await data(`chain?user_id=${user}`);
  expect(whole.head).toEqual({ position: head.revision, hash: head.hash });
  expect(whole.commits).toEqual(
    commits.map(({ revision, at, hash, prev, events }) => ({
      position: revision,
      date: utcDate(at),
      hash,
      prev,
      events: events.map(({ type }) => type),
    })),
  );
  const paged = [];
  for (let from = ''; paged.length < whole.commits.length; ) {
    const page = (await data(`chain?user_id=${user}&limit=1${from}`)).commits;
    paged.push(...page);
    from = `&position=${page.at(-1).position}&hash=${page.at(-1).hash}`;
  }
  expect(paged).toEqual(whole.commits);
  const { position, hash } = whole.head;
  expect((await data(`chain?user_id=${user}&position=${position}&hash=${hash}`)).commits).toEqual([]);
  const refused = { status: 409, body: { error_code: 409, details: [{ path: 'hash' }] } };
  for (const [at, wrong] of [
    [position, 'a'.repeat(64)],
    [1, hash],
    [position + 1, hash],
  ])
    expect(await program.call.get(`chain?user_id=${user}&position=${at}&hash=${wrong}`)).toMatchObject(refused);
  expect(await data('chain?user_id=808')).toEqual({ head: null, commits: [] });
  expect(await program.call.get(`chain?user_id=808&position=1&hash=${hash}`)).toMatchObject(refused);
});

it.each([
  ['at', 'balance?user_id=1&at=yesterday'],
  ['unit_id', 'referrers?order=balance'],
  ['unit_id', 'referrers?order=paid&unit_id=USD'],
  ['order', 'referrers?order=available'],
  ['limit', 'referrers?limit=ten'],
  ['status', 'all-payouts?status=5'],
  ['user_id', 'all-payouts?user_id=x'],
  ['unit_id', 'all-payouts?order=largest'],
  ['user_id', 'entries'],
  ['payout_id', 'entries?user_id=1&payout_id=0'],
  ['payout_id', 'all-payouts?payout_id=0'],
  ['accrual_id', 'entries?user_id=1&accrual_id=1,,2'],
  ['order', 'history?user_id=1&order=newest'],
  ['user_id', 'chain'],
  ['hash', 'chain?user_id=1&position=1'],
  ['hash', 'chain?user_id=1&position=1&hash=zz'],
])('refuses with a word about %s: %s', async (path, url) => {
  expect(await program.call.get(url)).toMatchObject({ status: 400, body: { details: [{ path }] } });
});

it("nothing of another owner's bot is answered", async () => {
  const foreign = { 'api-key': other.bot.apiKey, 'resource-key': program.bot.publicKey };
  for (const path of [
    'referrers',
    'all-payouts',
    'program',
    'entries?user_id=102',
    'chain?user_id=102',
    'balance?user_id=102&at=2100-01-01%2000:00:00',
  ])
    expect((await service.get(`/v1/referral/${path}`, foreign)).status, path).toBe(403);
  expect((await other.call.data('entries?user_id=102')).entries).toEqual([]);
  expect((await other.call.data('chain?user_id=102')).commits).toEqual([]);
  for (const path of ['referrers', 'all-payouts', 'program', 'entries?user_id=102', 'chain?user_id=102'])
    expect((await service.get(`/v1/referral/${path}`)).status, path).toBe(401);
});
