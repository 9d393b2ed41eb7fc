import { afterAll, beforeAll, expect, it } from 'vitest';
import { rewardRuleCreated } from '../../../src/domain/referral/program.ts';
import { programStream } from '../../../src/domain/streams.ts';
import { EMPTY_STREAM } from '../../../src/log/port.ts';
import { amountsOf, dataOf, newUser, processAgain, rewardProgram, rewardsOf } from '../../support/reward-program.ts';
import type { TestService } from '../../support/service.ts';

/** Rewards on one engine of the log. */
export function describeAccruals(start: () => Promise<TestService>): void {
  let service: TestService;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.stop());

  it('events earn once, with concurrent instances and again after a lost database', async () => {
    // Two, which may stand in different partitions.
    const it = await rewardProgram(service);
    const other = await rewardProgram(service);
    await other.rule({ amount: '2' });
    await other.send({ user_id: await other.referral(newUser()) });
    await it.rule({ amount: '1' });
    const stops = ['a', 'b'].map((instance) => processAgain(service, instance));
    const referred = await Promise.all([newUser(), newUser(), newUser()].map((referrer) => it.referral(referrer)));
    for (let round = 0; round < 10; round++)
      await it.send(...referred.flatMap((user_id) => Array.from({ length: 5 }, () => ({ user_id }))));
    const all = await rewardsOf(service, it);
    await Promise.all(stops.map((stop) => stop()));
    expect(amountsOf(all)).toHaveLength(150);
    const ids = dataOf(all, 'reward_accrued').map(({ accrual_id }) => accrual_id);
    expect(new Set(ids).size).toBe(150);
    expect(amountsOf(await rewardsOf(service, other))).toEqual(['2']);

    await service.restart(() => service.dropDerived());
    await service.projected();
    expect(await rewardsOf(service, it)).toEqual(all);
    await it.send({ user_id: referred[0]! });
    expect(amountsOf(await rewardsOf(service, it))).toHaveLength(151);
  });

  it("a fixed rule without a unit earns in the owner's currency, as a percentage does: one balance, one payout", async () => {
    const it = await rewardProgram(service);
    const fixed = await it.rule({ amount: '5' });
    const percent = await it.rule({ reward_type: 'percent', amount: null, percent: '10' });
    const referrer = newUser();
    await it.send({ user_id: await it.referral(referrer), value_num: 2000, unit: 'USD' }); // cents
    const accrued = dataOf(await rewardsOf(service, it), 'reward_accrued');
    expect(accrued.map(({ rule_id, amount, unit_id }) => [rule_id, amount, unit_id])).toEqual([
      [fixed, '5', it.usd],
      [percent, '2', it.usd],
    ]);
    await service.projected();
    expect((await it.call.data(`balance?user_id=${referrer}`)).balance).toMatchObject([
      { unit_id: it.usd, available: 7 },
    ]);
    expect((await it.call.data('rates?user_id=1')).rates).toMatchObject([{ unit_id: it.usd }, { unit_id: null }]);
    const { payout_ids } = await it.call.data('payout', { user_id: referrer, method: 'manual' });
    expect(payout_ids).toHaveLength(1);
  });

  it('a fixed rule that earlier versions wrote without a unit still earns without one', async () => {
    const it = await rewardProgram(service);
    const { log, sources } = service.commands;
    const rule = { rule_id: 900_001, name: 'Old', trigger_event_id: 101, reward_type: 'fixed' as const, unit_id: null };
    const event = rewardRuleCreated.create({ ...rule, amount: '5', percent: null, hold_days: '0', active: true });
    const stream = programStream(it.bot.publicKey);
    await log.append({ id: sources.uuid(), stream, expected: EMPTY_STREAM, at: sources.now(), events: [event] });
    const referrer = newUser();
    await it.send({ user_id: await it.referral(referrer) });
    const accrued = dataOf(await rewardsOf(service, it), 'reward_accrued');
    expect(accrued).toMatchObject([{ rule_id: rule.rule_id, amount: '5', unit_id: null }]);
  });
}
