import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Accounts, createAccounts } from '../../../src/commands/accounts.ts';
import { accrueRewards } from '../../../src/commands/accrue-rewards.ts';
import { attemptPayout } from '../../../src/domain/referral/account/payout.ts';
import { accountsReadModel } from '../../../src/projections/accounts/read-model.ts';
import { item, percentItem } from '../../support/account-samples.ts';
import { startTestCli, type TestCli } from '../../support/cli.ts';
import { firstSchema } from '../../support/read-model-tables.ts';

let cli: TestCli;
let accounts: Accounts;
let bot: string;
beforeAll(async () => {
  cli = await startTestCli();
  const { owner_id } = await cli.json('owner', 'create', '--name', 'Ann');
  bot = (await cli.json('bot', 'create', '--owner', String(owner_id), '--name', 'Shop')).public_key;
  accounts = createAccounts(cli);
});
afterAll(() => cli.close());

const of = (user: number): string[] => ['--bot', bot, '--user', String(user)];
const earn = (referrer: number, ...items: Parameters<typeof accrueRewards>[1]['items']) =>
  accrueRewards(accounts, { bot, referrer, items });

describe('rate set', () => {
  it('is what the rule earns from then on', async () => {
    const rule = ['rule', 'create', '--bot', bot, '--name', 'Sale', '--trigger-event-id', '1'];
    const fixed = (await cli.json(...rule, '--type', 'fixed', '--amount', '5', '--unit', 'usd')).rule_id;
    const percent = (await cli.json(...rule, '--type', 'percent', '--percent', '10')).rule_id;
    const external = (await cli.json(...rule, '--type', 'external')).rule_id;
    const set = (rule: number, ...rate: string[]) => cli.run('rate', 'set', ...of(1), '--rule', String(rule), ...rate);
    expect(await cli.json('rate', 'set', ...of(1), '--rule', String(fixed), '--amount', '7.25')).toEqual({});
    expect(await cli.json('rate', 'set', ...of(1), '--rule', String(percent), '--percent', '12.5')).toEqual({});
    for (const refused of [
      await set(fixed, '--percent', '5'),
      await set(percent, '--amount', '5'),
      await set(external, '--amount', '5'),
      await set(fixed),
      await set(fixed, '--amount', '5', '--percent', '5'),
      await set(fixed, '--amount', '5.005'),
      await set(99, '--amount', '5'),
    ])
      expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^botledger: .+\n$/) });
    await earn(1, item(0, { rule: { rule_id: fixed } }));
    const [row] = await cli.json('audit', 'balance', ...of(1));
    expect(row).toMatchObject({ event: 'accrued', amount: 7.25, available: 7.25 });
  });
});

describe('payout', () => {
  it('is created for all that is available, listed, and does what its state allows', async () => {
    await earn(2, item(0), percentItem(1, '10', '5', { base: { value: '5', rate: '1', unit: null } }));
    const made = await cli.json('payout', 'create', ...of(2), '--method', 'manual');
    const [first, second] = made.payout_ids;
    expect(made).toEqual({
      payout_id: first,
      bot,
      user_id: 2,
      amount: 0.5,
      unit_id: null,
      status: 0,
      method: 'manual',
      initiated_by: 'admin',
      requested_at: expect.stringMatching(/Z$/),
      processed_at: null,
      error: null,
      payout_ids: [first, second],
    });
    expect(await cli.run('payout', 'create', ...of(2))).toMatchObject({
      code: 1,
      err: 'botledger: no available balance\n',
    });
    const paid = await cli.json('payout', 'confirm', '--payout', String(first));
    expect(paid).toMatchObject({ payout_id: first, status: 2, processed_at: expect.stringMatching(/Z$/) });
    for (const action of ['confirm', 'fail', 'retry', 'cancel'])
      expect(await cli.run('payout', action, '--payout', String(first)), action).toMatchObject({ code: 1 });
    expect(await cli.json('payout', 'cancel', '--payout', String(second))).toMatchObject({ amount: 5, status: 4 });
    const again = await cli.json('payout', 'create', ...of(2), '--unit', '1');
    expect(again).toMatchObject({ amount: 5, method: 'webhook', status: 0 });

    const list = (...more: string[]) => cli.json('payout', 'list', '--bot', bot, ...more);
    expect((await list()).map((row: { status: number }) => row.status)).toEqual([2, 4, 0]);
    expect(await list('--status', '2')).toEqual([paid]);
    expect(await cli.run('payout', 'list', '--bot', 'nobody')).toMatchObject({ code: 1 });
    expect(await cli.run('payout', 'confirm', '--payout', '999')).toMatchObject({
      code: 1,
      err: 'botledger: there is no payout 999\n',
    });
  });

  it('that the client was told of is cancelled by force alone', async () => {
    await earn(3, item(0));
    const { payout_id } = await cli.json('payout', 'create', ...of(3));
    const key = { bot, userId: 3 };
    await accounts.change(key, { decide: (state, now) => attemptPayout(state, { payout_id, address: 1 }, now) });
    await accounts.change(key, {
      decide: (_, at) => [{ type: 'payout_failed', data: { payout_id, by: 'webhook', error: 'HTTP 410', at } }],
    });
    const cancel = ['payout', 'cancel', '--payout', String(payout_id)];
    expect(await cli.run(...cancel)).toMatchObject({ code: 1, err: expect.stringContaining('may have paid') });
    expect(await cli.run('payout', 'retry', '--payout', String(payout_id), '--force')).toMatchObject({ code: 1 });
    expect(await cli.json(...cancel, '--force')).toMatchObject({ status: 4, error: 'HTTP 410' });
  });
});

describe('audit balance', () => {
  it('tells the history from the log, and fails where the read model tells another', async () => {
    await earn(4, item(0), item(1, { rule: { rule_id: 2, unit_id: null } }));
    const rows = await cli.json('audit', 'balance', ...of(4));
    expect(rows).toHaveLength(2);
    expect(await cli.json('audit', 'balance', ...of(4), '--unit', '1')).toEqual([rows[0]]);
    expect(await cli.json('audit', 'balance', ...of(4), '--at', '2020-01-01')).toEqual([]);
    const day = rows[0].date.slice(0, 10);
    expect(await cli.json('audit', 'balance', ...of(4), '--at', day)).toEqual(rows);
    // As `history` tells dates, whole seconds are meant to their end; a fraction is meant as it is.
    const [second, before] = [rows[0].date.slice(0, 19), new Date(Date.parse(rows[0].date) - 1).toISOString()];
    for (const at of [`${second}Z`, second.replace('T', ' '), `${second}+00:00`, rows[0].date])
      expect(await cli.json('audit', 'balance', ...of(4), '--at', at), at).toEqual(rows);
    expect(await cli.json('audit', 'balance', ...of(4), '--at', before)).toEqual([]);
    for (const at of [second, '2026-02-30 10:00:00', '2026-01-01 24:00:01'])
      expect(await cli.run('audit', 'balance', ...of(4), '--at', at)).toMatchObject({ code: 2 });
    expect(await cli.json('audit', 'balance', ...of(404))).toEqual([]);

    const tables = firstSchema(accountsReadModel);
    await cli.pool.query(`UPDATE ${tables}.accruals SET amount = 500 WHERE user_id = 4 AND unit = 1`);
    const failed = await cli.run('audit', 'balance', ...of(4), '--json');
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('row 1 is "accrued accrual') });
    expect(JSON.parse(failed.out)).toEqual(rows);
    await cli.pool.query(`DELETE FROM ${tables}.accruals WHERE user_id = 4`);
    expect(await cli.run('audit', 'balance', ...of(4))).toMatchObject({
      code: 1,
      err: expect.stringContaining('none'),
    });
  });
});
