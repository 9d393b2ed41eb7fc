import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeBot } from '../../../src/commands/catalog/change-bot.ts';
import { readAll } from '../../support/log.ts';
import { type ReferralCaller, referralCaller } from '../../support/referral.ts';
import type { Answer, TestBot, TestService } from '../../support/service.ts';

const MAX_WAIT_MS = 1000;

/**
 * While their read model is late, the methods of codes and attribution answer only results that the log has made. The
 * same on every engine of the log.
 */
export function describeLateAttribution(start: (env: Record<string, string>) => Promise<TestService>): void {
  let service: TestService;
  let bot: TestBot;
  let once: ReferralCaller;
  /** Repeats requests under an Idempotency-Key until they are answered: a busy machine may take longer than MAX_WAIT_MS. */
  let call: ReferralCaller;

  beforeAll(async () => {
    service = await start({ MAX_WAIT_MS: String(MAX_WAIT_MS) });
    bot = await service.createBot();
    once = referralCaller(service, bot, false);
    call = referralCaller(service, bot);
  });
  afterAll(() => service.stop());

  /** The tables can be read, not written. */
  async function standingStill<T>(work: () => Promise<T>): Promise<T> {
    await service.projected();
    const blocker = await service.database.pool.connect();
    try {
      await blocker.query(`BEGIN; LOCK TABLE referral_v1.referrals, referral_v1.codes, referral_v1.outcomes,
        referral_v1.checkpoints IN SHARE ROW EXCLUSIVE MODE`);
      return await work();
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
      await service.projected();
    }
  }

  type Request = readonly [path: string, body: object];
  const keyOf = ([path, body]: Request) => ({ 'idempotency-key': `${path} ${JSON.stringify(body)}` });
  const askAll = (requests: readonly Request[]): Promise<Answer[]> =>
    Promise.all(requests.map((request) => once.post(...request, keyOf(request))));
  const dataOf = (...request: Request) => call.data(...request, keyOf(request));
  const dataOfAll = (requests: readonly Request[]) => Promise.all(requests.map((request) => dataOf(...request)));
  const facts = async (): Promise<number> => (await readAll(service.log, { categories: ['referral'] })).length;

  /** Sends requests while the read model stands still: each gets a 500 (its outcome is unknown) or a 503. */
  function askInVain(requests: readonly Request[]): Promise<void> {
    return standingStill(async () => {
      for (let known = false; !known; ) {
        const answers = await askAll(requests);
        for (const { status, body, headers } of answers)
          if (status !== 503)
            expect({ status, body }).toEqual({
              status: 500,
              body: { ok: false, error: 'outcome unknown, repeat with the same Idempotency-Key', error_code: 500 },
            });
          else expect(headers.get('retry-after')).toBe('1');
        known = answers.some(({ status }) => status === 500);
      }
    });
  }

  /** Twice the same, then once more from rebuilt tables. */
  async function told(requests: readonly Request[]) {
    const first = await dataOfAll(requests);
    const before = await facts();
    expect(await dataOfAll(requests)).toEqual(first);
    await service.restart(() => service.dropDerived());
    await service.projected();
    expect(await dataOfAll(requests)).toEqual(first);
    expect(await facts()).toBe(before);
    return first;
  }

  test("answers to three concurrent marks of one user name no referrer, and repeats name the log's", async () => {
    const marks = [11, 12, 13].map(
      (referrer_user_id) => ['mark-referral', { referral_user_id: 10, referrer_user_id }] as const,
    );
    await askInVain(marks);
    const answers = await told(marks);
    const [winner, ...more] = answers.filter(({ already_attributed }) => !already_attributed);
    expect(more).toEqual([]);
    const { referrer_id, code } = winner;
    expect(await call.referralsOf(referrer_id)).toMatchObject([{ referral_id: 10 }]);
    const lost = { referral_id: 10, referrer_id, code: null, already_attributed: true };
    expect(answers.filter((answer) => answer !== winner)).toEqual([lost, lost]);
    // A visit by the code that was given refers to this referrer.
    expect(await dataOf('mark-referral', { referral_user_id: 14, code })).toMatchObject({ referrer_id });
  });

  test("answers to three concurrent owners of one code name no owner, and repeats name the log's", async () => {
    await call.visit(20, 'late');
    const claims = [21, 22, 23].map((user_id) => ['set-code-owners', [{ code: 'late', user_id }]] as const);
    await askInVain(claims);
    const results = (await told(claims)).map(({ results: [result] }) => result);
    const [made, ...more] = results.filter(({ created }) => created);
    expect(more).toEqual([]);
    const { owner_id } = made;
    expect(made).toEqual({ code: 'late', owner_id, created: true, backfilled: 1 });
    const lost = { code: 'late', owner_id, created: false, backfilled: 0 };
    expect(results.filter((result) => result !== made)).toEqual([lost, lost]);
    expect(await call.referralsOf(owner_id)).toMatchObject([{ referral_id: 20 }]);
  });

  test('create-code answers 500 until its code is decided; the repeat returns the first code and link', async () => {
    const create = ['create-code', { user_id: 30 }] as const;
    await dataOf('create-code', { user_id: 31 });
    const linkNow = async () => (await call.data('codes?user_id=31')).codes[0].link;
    await changeBot(service.commands, bot.publicKey, { username: 'first_bot' });
    await service.projected();
    // The bot's username is looked up once a second.
    await expect.poll(linkNow).toContain('first_bot');
    await askInVain([create]);
    await changeBot(service.commands, bot.publicKey, { username: 'second_bot' });
    await expect.poll(linkNow).toContain('second_bot');
    const [{ code, link }] = await told([create]);
    expect(link).toBe(`https://t.me/first_bot?start=${code}`);
    const { codes } = await call.data('codes?user_id=30');
    expect(codes).toMatchObject([{ code, link: `https://t.me/second_bot?start=${code}` }]);
  });

  test('a request after visits that are not processed is 503, and writes nothing', async () => {
    const requests = [
      ['mark-referral', { referral_user_id: 40, referrer_user_id: 41 }],
      ['set-code-owners', [{ code: 'unseen', user_id: 41 }]],
    ] as const;
    await standingStill(async () => {
      await call.visit(40, 'unseen');
      await call.visit(42, 'unseen');
      const before = await facts();
      const started = performance.now();
      const answers = await askAll(requests);
      expect(performance.now() - started).toBeGreaterThan(MAX_WAIT_MS - 50);
      for (const { status, headers, body } of answers)
        expect([status, headers.get('retry-after'), body.error_code]).toEqual([503, '1', 503]);
      expect(await facts()).toBe(before);
    });
    const [mark, owners] = [await dataOf(...requests[0]), await dataOf(...requests[1])];
    expect(mark).toMatchObject({ referrer_id: 41, already_attributed: false });
    expect(owners).toMatchObject({ results: [{ created: true, backfilled: 1 }] });
    expect((await call.referralsOf(41)).map(({ referral_id }) => referral_id).sort()).toEqual([40, 42]);
  });

  test('a mark of a user who has a referrer is answered at once, since a referrer never changes', async () => {
    await dataOf('mark-referral', { referral_user_id: 50, referrer_user_id: 51 });
    const again = { referral_user_id: 50, referrer_user_id: 52 };
    const answer = await standingStill(() => call.data('mark-referral', again));
    expect(answer).toEqual({ referral_id: 50, referrer_id: 51, code: null, already_attributed: true });
  });
}
