import { afterAll, beforeAll, expect, it } from 'vitest';
import { amountsOf, dataOf, newUser, rewardProgram, rewardsOf, walkAgain } from '../../support/reward-program.ts';
import type { TestService } from '../../support/service.ts';

/** Rewards on one engine of the log. */
export function describeAccruals(start: () => Promise<TestService>): void {
  let service: TestService;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.stop());

  it('walked by instances at once, and again after a lost database, events earn nothing twice', async () => {
    // Two, which may stand in different lanes.
    const it = await rewardProgram(service);
    const other = await rewardProgram(service);
    await other.rule({ amount: '2' });
    await other.send({ user_id: await other.referral(newUser()) });
    await it.rule({ amount: '1' });
    const stops = ['a', 'b'].map((instance) => walkAgain(service, instance));
    const referred = await Promise.all([newUser(), newUser(), newUser()].map((referrer) => it.referral(referrer)));
    for (let round = 0; round < 10; round++)
      await it.send(...referred.flatMap((user_id) => Array.from({ length: 5 }, () => ({ user_id }))));
    const all = await rewardsOf(service, it);
    await Promise.all(stops.map((stop) => stop()));
    expect(amountsOf(all)).toHaveLength(150);
    const ids = dataOf(all, 'reward_accrued').map(({ accrual_id }) => accrual_id);
    expect(new Set(ids).size).toBe(150);
    expect(amountsOf(await rewardsOf(service, other))).toEqual(['2']);

    await service.restart(() => service.dropPicture());
    await service.projected();
    expect(await rewardsOf(service, it)).toEqual(all);
    await it.send({ user_id: referred[0]! });
    expect(amountsOf(await rewardsOf(service, it))).toHaveLength(151);
  }, 60_000);
}
