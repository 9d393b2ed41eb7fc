import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards, reverseAccrual } from '../../../src/commands/referral/accrue-rewards.ts';
import { auditAccount } from '../../../src/commands/referral/audit-account.ts';
import { BLOCK_WEIGHT } from '../../../src/domain/referral/account/closing.ts';
import { booksClosed } from '../../../src/domain/referral/books-events.ts';
import { accountStream, booksStream } from '../../../src/domain/streams.ts';
import { item } from '../../support/account-samples.ts';
import { appendOnTop, newCommit } from '../../support/log.ts';
import type { TestBot, TestService } from '../../support/service.ts';

const ITEMS = 500;

/** The books of a long account in the service: on every engine of the log. */
export function describeLongAccount(start: () => Promise<TestService>): void {
  let service: TestService;
  let bot: TestBot;
  beforeAll(async () => {
    service = await start();
    bot = await service.createBot();
  });
  afterAll(() => service.stop());

  let nextEvent = 0;
  async function earn(count: number): Promise<void> {
    const accounts = createAccounts(service.commands);
    for (let left = count; left > 0; left -= ITEMS) {
      const items = Array.from({ length: Math.min(ITEMS, left) }, () => item(nextEvent++));
      await accrueRewards(accounts, { bot: bot.publicKey, referrer: 1, items });
    }
  }

  /** Requests a payout of all. @returns its amount */
  async function paidOut(): Promise<number> {
    const headers = { 'api-key': bot.apiKey };
    const answer = await service.post('/v1/referral/payout', { user_id: 1, method: 'manual' }, headers);
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
    await service.projected();
    const { body } = await service.get('/v1/referral/payouts?user_id=1&limit=1', headers);
    return body.data.payouts[0].amount;
  }

  const books = () => service.log.read(booksStream(bot.publicKey, 1));
  const problems = async () => {
    const key = { bot: bot.publicKey, userId: 1 };
    return (await auditAccount(service.log, key, async () => new Map(), { revision: 0, now: 0 })).problems;
  };

  it('are closed, and the first decision after a restart starts from there', async () => {
    await earn(2 * BLOCK_WEIGHT + 100);
    expect((await books()).commits).toHaveLength(2);
    expect(await paidOut()).toBe(5 * (2 * BLOCK_WEIGHT + 100));
    await service.restart();
    await earn(3);
    expect(await paidOut()).toBe(15);
  });

  it('let no reward be earned again, and an accrual of long ago be reversed', async () => {
    const stream = accountStream(bot.publicKey, 1);
    const before = (await service.log.streamHeads([stream])).get(stream);
    const accounts = createAccounts(service.commands);
    await accrueRewards(accounts, { bot: bot.publicKey, referrer: 1, items: [item(0), item(BLOCK_WEIGHT)] });
    expect((await service.log.streamHeads([stream])).get(stream)).toEqual(before);
    const { commits } = await service.log.read(stream, undefined, 1);
    const accrued = commits[0]!.events.find(({ type }) => type === 'reward_accrued')!.data as { accrual_id: number };
    const key = { bot: bot.publicKey, userId: 1, accrualId: accrued.accrual_id, reason: null };
    await reverseAccrual(accounts, key);
    await expect(reverseAccrual(accounts, key)).rejects.toMatchObject({ message: /cancelled already$/ });
    await earn(3);
    expect(await paidOut()).toBe(10);
  });

  it('are not missed when everything but the log was dropped', async () => {
    await service.restart(() => service.dropDerived());
    await earn(2);
    expect(await paidOut()).toBe(10);
    expect(await problems()).toEqual([]);
  });

  it('are found by an audit if a closing differs from the account', async () => {
    const { commits, head } = await books();
    const last = booksClosed.read(commits.at(-1)!.events[0]!).data;
    await earn(1);
    const account = accountStream(bot.publicKey, 1);
    const { revision, hash } = (await service.log.streamHeads([account])).get(account)!;
    const events = [booksClosed.create({ ...last, revision, hash })];
    await appendOnTop(service.log, { ...newCommit(booksStream(bot.publicKey, 1)), events });
    expect(await problems()).toEqual([
      {
        stream: booksStream(bot.publicKey, 1),
        revision: head.revision + 1,
        message: expect.stringContaining(`the closing of revision ${revision} differs from the account`),
      },
    ]);
  });
}
