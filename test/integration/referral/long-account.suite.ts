import { afterAll, beforeAll, expect, it } from 'vitest';
import { SNAPSHOT_EVENTS } from '../../../src/commands/referral/account-snapshots.ts';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accruals.ts';
import { accountStream } from '../../../src/domain/streams.ts';
import { item } from '../../support/account-samples.ts';
import type { TestBot, TestService } from '../../support/service.ts';

/** Long enough for a busy machine. */
const PATIENT = { timeout: 30_000 };
const ITEMS = 500;

/** The snapshot of a long account in the service: on every engine of the log. */
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

  const count = async (text: string): Promise<number> =>
    Number((await service.database.pool.query<{ count: string }>(text)).rows[0]!.count);
  const snapshots = (): Promise<number> => count('SELECT count(*) FROM runtime.snapshots');
  /** How often parts of snapshots were looked for. */
  const lookUps = (): Promise<number> =>
    count(`SELECT idx_scan AS count FROM pg_stat_user_tables WHERE relname = 'snapshot_parts'`);

  it('is saved by the first decision, and read by the first one after a restart', async () => {
    await earn(SNAPSHOT_EVENTS + 100);
    expect(await paidOut()).toBe(5 * (SNAPSHOT_EVENTS + 100));
    await expect.poll(snapshots, PATIENT).toBe(1);
    await service.restart();
    const before = await lookUps();
    await earn(3);
    expect(await paidOut()).toBe(15);
    await expect.poll(lookUps, PATIENT).toBeGreaterThan(before);
  });

  it('is not missed when everything but the log was dropped', async () => {
    await service.restart(() => service.dropDerived());
    await earn(2);
    expect(await paidOut()).toBe(10);
    const stream = accountStream(bot.publicKey, 1);
    const { revision } = (await service.log.streamHeads([stream])).get(stream)!;
    // Of a commit that the log has.
    await expect.poll(snapshots, PATIENT).toBe(1);
    expect(await count('SELECT revision AS count FROM runtime.snapshots')).toBeLessThanOrEqual(revision);
  });
}
