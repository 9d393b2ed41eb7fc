import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReferralCaller, referralCaller } from '../../support/referral.ts';
import type { TestBot, TestService } from '../../support/service.ts';

/** Attribution under concurrency and after losses has the same result on every engine of the log. */
export function describeAttribution(start: () => Promise<TestService>): void {
  let service: TestService;
  let bot: TestBot;
  let call: ReferralCaller;

  beforeAll(async () => {
    service = await start();
    bot = await service.createBot();
    call = referralCaller(service, bot);
  });
  afterAll(() => service.stop());

  const keyOf = (name: number) => ({ 'idempotency-key': `mark by ${name}` });

  test('of 200 concurrent marks of one user one wins, and every answer names it', async () => {
    const referred = 1;
    const referrers = Array.from({ length: 200 }, (_, i) => 1000 + i);
    const marks = referrers.map((referrer_user_id) =>
      call.data('mark-referral', { referral_user_id: referred, referrer_user_id }, keyOf(referrer_user_id)),
    );
    const answers = await Promise.all(marks);
    const [won, ...more] = answers.filter(({ already_attributed }) => !already_attributed);
    expect(more).toEqual([]);
    const { referrer_id: winner } = won;
    expect(won).toEqual({
      ...{ referral_id: referred, referrer_id: winner },
      ...{ code: expect.any(String), already_attributed: false },
    });
    const lost = { referral_id: referred, referrer_id: winner, code: null, already_attributed: true };
    expect(answers.filter((each) => each !== won)).toEqual(referrers.slice(1).map(() => lost));
    expect(await call.referralsOf(winner)).toMatchObject([{ referral_id: referred }]);
    // A referrer that lost has no code yet: the next mark creates one.
    const [loser] = referrers.filter((each) => each !== winner);
    expect(await call.referralsOf(loser!)).toEqual([]);
    const next = await call.data('mark-referral', { referral_user_id: 2, referrer_user_id: loser });
    expect(next.code).toEqual(expect.any(String));
  });

  test('with concurrent marks, visits and owners, a user has one referrer and a code one owner', async () => {
    const [ann, ben] = [await call.codeFor(10), await call.codeFor(20)];
    const claims = Array.from({ length: 20 }, (_, i) => [{ code: 'claimed', user_id: 30 + i }]);
    await call.visit(40, 'claimed');
    const [owners] = await Promise.all([
      Promise.all(claims.map((elements) => call.data('set-code-owners', elements))),
      ...[50, 51, 52].flatMap((user) => [
        call.visit(user, ann),
        call.visit(user, ben),
        call.data('mark-referral', { referral_user_id: user, code: ben }),
      ]),
    ]);
    const results: { owner_id: number; created: boolean }[] = owners.map(({ results: [result] }) => result);
    const [made, ...more] = results.filter(({ created }) => created);
    expect(made).toMatchObject({ code: 'claimed', backfilled: 1 });
    expect(more).toEqual([]);
    expect(new Set(results.map(({ owner_id }) => owner_id))).toEqual(new Set([made!.owner_id]));
    expect(await call.referralsOf(made!.owner_id)).toMatchObject([{ referral_id: 40 }]);
    await service.projected();
    const referred = [...(await call.referralsOf(10)), ...(await call.referralsOf(20))];
    expect(referred.map(({ referral_id }) => referral_id).sort()).toEqual([50, 51, 52]);
    for (const user of [50, 51, 52]) {
      const { referrer_id } = await call.data('mark-referral', { referral_user_id: user, code: ann });
      expect((await call.referralsOf(referrer_id)).some(({ referral_id }) => referral_id === user)).toBe(true);
    }
  });

  test('repeats get the first answers, also after the loss of everything but the log', async () => {
    await call.visit(60, 'early', Date.UTC(2026, 0, 15));
    const requests: [string, unknown][] = [
      ['create-code', { user_id: 61 }],
      [
        'set-code-owners',
        [
          { code: 'early', user_id: 61 },
          { code: 'early', user_id: 62 },
        ],
      ],
      ['mark-referral', { referral_user_id: 63, referrer_user_id: 64 }],
      ['mark-referral', { referral_user_id: 60, code: 'early' }],
    ];
    const ask = async (): Promise<object[]> => {
      const answers: object[] = [];
      for (const [i, [path, body]] of requests.entries())
        answers.push(await call.data(path, body, { 'idempotency-key': `lost ${i}` }));
      return answers;
    };
    const before = await ask();
    expect(before).toMatchObject([
      { code: expect.any(String) },
      { results: [{ created: true, backfilled: 1 }, { created: false }] },
      { code: expect.any(String), already_attributed: false },
      { referrer_id: 61, already_attributed: true },
    ]);
    expect(await ask()).toEqual(before);
    await service.restart(() => service.dropDerived());
    await service.projected();
    expect(await ask()).toEqual(before);
    expect((await call.data('codes?user_id=61')).codes).toHaveLength(1);
    expect(await call.referralsOf(61)).toEqual([{ referral_id: 60, date: '2026-01-15 00:00:00' }]);
  });
}
