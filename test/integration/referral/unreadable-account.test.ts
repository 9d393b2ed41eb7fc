import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { EMPTY_STREAM } from '../../../src/log/port.ts';
import { newUser, rewardProgram } from '../../support/reward-program.ts';
import { startTestService } from '../../support/service.ts';

test('an account that cannot be read keeps no other account from its rewards, and is named', async () => {
  const service = await startTestService({ ON_BAD_EVENT: 'dead-letter' });
  try {
    const it = await rewardProgram(service);
    await it.rule({ amount: '5' });
    const [broken, other] = [newUser(), newUser()];
    const referrals = [await it.referral(broken), await it.referral(other)];
    await service.log.append({
      id: randomUUID(),
      stream: `account-${it.bot.publicKey}/${broken}`,
      expected: EMPTY_STREAM,
      at: Date.now(),
      events: [{ type: 'of_another_program', v: 1, data: {} }],
    });
    const earns = (count: number) =>
      expect
        .poll(async () => {
          const { body } = await service.get(`/v1/referral/balance?user_id=${other}`, { 'api-key': it.bot.apiKey });
          return body.data.balance.map(({ available }: { available: number }) => available);
        })
        .toEqual([5 * count]);
    for (const count of [1, 2]) {
      await it.send(...referrals.map((user_id) => ({ user_id })));
      await earns(count);
    }
    const { rows } = await service.database.pool.query<{ subject: string }>('SELECT subject FROM processes.failures');
    expect(rows).toContainEqual({ subject: `account ${it.bot.publicKey}/${broken}` });
  } finally {
    await service.stop();
  }
});
