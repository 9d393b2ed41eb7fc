import { afterAll, beforeAll, expect, it } from 'vitest';
import { accruals } from '../../../src/processes/accruals/accrual-process.ts';
import { operate } from '../../support/operate.ts';
import { processed } from '../../support/processes.ts';
import { amountsOf, newUser, type RewardProgram, rewardProgram, rewardsOf } from '../../support/reward-program.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** Events that the read model lacked when the process passed them. */

let service: TestService;
let program: RewardProgram;

beforeAll(async () => {
  service = await startTestService();
  program = await rewardProgram(service);
  await program.rule({ amount: '1' });
});
afterAll(() => service.stop());

it('earn once a rebuild of their bot has brought them back, also after a restart', async () => {
  const user_id = await program.referral(newUser());
  await service.projected();
  const { pool } = service.database;
  await pool.query(`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER lose BEFORE INSERT ON events_v1.rewardable_events FOR EACH ROW EXECUTE FUNCTION lose()`);
  await program.send({ user_id });
  await processed(service, accruals.name);
  await pool.query('DROP FUNCTION lose CASCADE');
  expect(amountsOf(await rewardsOf(service, program))).toEqual([]);
  const rebuild = () => operate(service.env, ['projection', 'rebuild', 'events', '--bot', program.bot.publicKey]);
  await rebuild();
  await program.send({ user_id });
  expect(amountsOf(await rewardsOf(service, program))).toEqual(['1', '1']);

  await service.restart(async () => void (await rebuild()));
  await program.send({ user_id });
  expect(amountsOf(await rewardsOf(service, program))).toEqual(['1', '1', '1']);
});
