import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Accounts, createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accrue-rewards.ts';
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
  it('sets the rate of the rule from then on', async () => {
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
  it('is created for the whole available balance, is listed, and allows the steps of its state', async () => {
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
    expect(await cli.run('payout', 'list', '--bot', 'unknown')).toMatchObject({ code: 1 });
    for (const status of ['9', '-1', '2.0', 'paid'])
      expect(await cli.run('payout', 'list', '--bot', bot, '--status', status)).toMatchObject({
        code: 2,
        err: expect.stringContaining('0 created, 1 processing, 2 paid, 3 failed, 4 cancelled'),
      });
    expect(await cli.run('payout', 'confirm', '--payout', '999')).toMatchObject({
      code: 1,
      err: 'botledger: there is no payout 999\n',
    });
  });

  it('that was announced to the client is cancelled only by force', async () => {
    await earn(3, item(0));
    const { payout_id } = await cli.json('payout', 'create', ...of(3));
    const key = { bot, userId: 3 };
    await accounts.change(key, { decide: (state, now) => attemptPayout(state, { payout_id, address: 1 }, now) });
    await accounts.change(key, {
      decide: (_, at) => [{ type: 'payout_failed', data: { payout_id, by: 'webhook', error: 'HTTP 410', at } }],
    });
    const cancel = ['payout', 'cancel', '--payout', String(payout_id)];
    expect(await cli.run(...cancel)).toMatchObject({ code: 1, err: expect.stringContaining('may have paid') });
    expect(await cli.run('payout', 'retry', '--payout', String(payout_id), '--force')).toMatchObject({ code: 2 });
    expect(await cli.json(...cancel, '--force')).toMatchObject({ status: 4, error: 'HTTP 410' });
  });
});

describe('audit balance', () => {
  it("prints the history from the log, and fails if the read model's differs", async () => {
    await earn(4, item(0), item(1, { rule: { rule_id: 2, unit_id: null } }));
    const rows = await cli.json('audit', 'balance', ...of(4));
    expect(rows).toHaveLength(2);
    expect(await cli.json('audit', 'balance', ...of(4), '--unit', '1')).toEqual([rows[0]]);
    expect(await cli.json('audit', 'balance', ...of(4), '--at', '2020-01-01')).toEqual([]);
    const moment = new Date(rows[0].date_ms).toISOString();
    const day = moment.slice(0, 10);
    expect(await cli.json('audit', 'balance', ...of(4), '--at', day)).toEqual(rows);
    // As `history` tells dates, whole seconds are meant to their end; a fraction is meant as it is.
    const [second, before] = [moment.slice(0, 19), new Date(rows[0].date_ms - 1).toISOString()];
    for (const at of [`${second}Z`, second.replace('T', ' '), `${second}+00:00`, moment])
      expect(await cli.json('audit', 'balance', ...of(4), '--at', at), at).toEqual(rows);
    expect(await cli.json('audit', 'balance', ...of(4), '--at', before)).toEqual([]);
    for (const at of [second, '2020-13-01', '2026-02-30 10:00:00', '2026-01-01 24:00:01'])
      expect(await cli.run('audit', 'balance', ...of(4), '--at', at)).toMatchObject({
        code: 2,
        err: expect.stringContaining('It must be YYYY-MM-DD, YYYY-MM-DD HH:MM:SS (UTC) or RFC 3339.'),
      });
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

  it("fails if the answered balance differs from the log's, except for a past moment", async () => {
    await earn(5, item(0), item(1, { rule: { rule_id: 2, unit_id: null } }));
    const rows = await cli.json('audit', 'balance', ...of(5));
    const tables = firstSchema(accountsReadModel);
    const balanceOf = (unit: number) => `${tables}.balances WHERE user_id = 5 AND unit = ${unit}`;
    await cli.pool.query(`UPDATE ${balanceOf(1).replace(' WHERE', ' SET accrued = accrued + 5 WHERE')}`);
    const failed = await cli.run('audit', 'balance', ...of(5), '--json');
    expect(failed).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        'the balance of unit 1 is 5 available, 0 reserved, 0 paid, 0 on hold in the log and 10 available, 0 reserved, 0 paid, 0 on hold in the read model',
      ),
    });
    expect(JSON.parse(failed.out)).toEqual(rows);
    expect(await cli.run('audit', 'balance', ...of(5), '--unit', '1')).toMatchObject({ code: 1 });
    expect(await cli.run('audit', 'balance', ...of(5), '--unit', '2')).toMatchObject({ code: 0 });
    expect(await cli.json('audit', 'balance', ...of(5), '--at', rows[0].date)).toEqual(rows);

    await cli.pool.query(`DELETE FROM ${balanceOf(0)}`);
    await cli.pool.query(`UPDATE ${balanceOf(1).replace(' WHERE', ' SET accrued = 5 WHERE')}`);
    expect(await cli.run('audit', 'balance', ...of(5))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/the balance of unit - is 5 available.* in the log and nothing in the read model/),
    });
  });

  it('prints dates as `history` does, and milliseconds in a separate field', async () => {
    await earn(6, item(0));
    const [row] = await cli.json('audit', 'balance', ...of(6));
    const at = new Date(row.date_ms).toISOString();
    expect(row.date).toBe(at.slice(0, 19).replace('T', ' '));
    const { out } = await cli.run('audit', 'balance', ...of(6));
    expect(out).toContain(`  ${row.date}  `);
    expect(out).not.toContain('date_ms');
  });

  it('explains the positions that it skips', async () => {
    await earn(7, item(0));
    const { payout_id } = await cli.json('payout', 'create', ...of(7));
    for (let attempt = 1; attempt <= 2; attempt++)
      await accounts.change(
        { bot, userId: 7 },
        { decide: (state, now) => attemptPayout(state, { payout_id, address: 1 }, now) },
      );
    await earn(7, item(1, { rule: { rule_id: 2, unit_id: null } }));
    const all = await cli.run('audit', 'balance', ...of(7));
    expect(all.err).toBe('positions 3, 4 are passed over, since they move no balance: payout_attempted\n');
    const ofUnit = await cli.run('audit', 'balance', ...of(7), '--unit', '1');
    expect(ofUnit.err).toBe(
      'positions 3, 4 are passed over, since they move no balance: payout_attempted\n' +
        'position 5 is passed over, since it is of another unit\n',
    );
    expect(await cli.run('audit', 'balance', ...of(7), '--at', '2020-01-01')).toMatchObject({ code: 0, err: '' });
  });
});
