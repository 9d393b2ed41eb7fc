import { afterAll, beforeAll, expect, it } from 'vitest';
import { listDeliveries } from '../../../src/queries/referral/find-deliveries.ts';
import { payoutsOfBot } from '../../../src/queries/referral/payout-list.ts';
import { type PayoutSetup, payoutSetup } from '../../support/payout-setup.ts';
import { spied } from '../../support/spied-pool.ts';

let setup: PayoutSetup;
beforeAll(async () => {
  setup = await payoutSetup();
});
afterAll(() => setup.close());

it('the latest deliveries of a bot are read by an index, however many attempts it has', async () => {
  const { pool } = setup.database;
  const { bot, unitId } = await setup.bot();
  await setup.payout(bot, unitId);
  // The projector makes the tables first.
  const projected = () => payoutsOfBot({ pool, accounts: 'accounts_v1' }, bot, null).catch(() => []);
  await expect.poll(projected).toHaveLength(1);
  await pool.query(`
    INSERT INTO accounts_v1.payouts
    SELECT (jsonb_populate_record(p, jsonb_build_object('payout_id', 1000 + i, 'attempts', 1))).*
      FROM accounts_v1.payouts p, generate_series(1, 5000) i`);
  await pool.query(`
    INSERT INTO accounts_v1.attempts (public_key, payout_id, attempt, at)
    SELECT public_key, payout_id, 1, payout_id FROM accounts_v1.payouts WHERE payout_id > 1000`);
  await pool.query('ANALYZE accounts_v1.payouts, accounts_v1.attempts');

  const statements: string[] = [];
  const source = { pool: spied(pool, statements), accounts: 'accounts_v1' };
  const page = { limit: 2, offset: 1 };
  const rows = await listDeliveries(source, bot, undefined, page);
  expect(rows.map(({ payout_id }) => payout_id)).toEqual([5999, 5998]);
  expect(await listDeliveries(source, bot, 3000, { limit: 50, offset: 0 })).toMatchObject([{ payout_id: 3000 }]);
  const plan = await pool.query(`EXPLAIN ANALYZE ${statements[0]}`, [bot, page.limit, page.offset]);
  expect(JSON.stringify(plan.rows)).toMatch(/Index Scan using attempts_of_bot on attempts [^"]*rows=3[. ]/);
});
