import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { changeBot } from '../../../src/commands/catalog/change-bot.ts';
import type { AccountEvent } from '../../../src/domain/referral/account/state.ts';
import { BrokenChainError, type EventLog } from '../../../src/log/port.ts';
import { autoPayouts } from '../../../src/processes/payouts/run-auto-payouts.ts';
import { pause } from '../../../src/util/pause.ts';
import { type PayoutSetup, payoutSetup } from '../../support/payout-setup.ts';

/** Payouts that bots make by themselves, on a clock that the tests move. */

let setup: PayoutSetup;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

beforeAll(async () => {
  setup = await payoutSetup(Date.UTC(2026, 0, 15, 12)); // a Thursday
});
afterEach(() => setup.stopAll());
afterAll(() => setup.close());

/** A bot, set to pay out when. */
async function botThat(auto_payout: 'daily' | 'weekly' | 'monthly'): Promise<{ bot: string; unitId: number }> {
  const made = await setup.bot();
  await changeBot(setup.context, made.bot, { auto_payout });
  return made;
}

type Requested = Extract<AccountEvent, { type: 'payout_requested' }>['data'];

async function requested(bot: string, user: number): Promise<Requested[]> {
  const events = await setup.events(bot, user);
  return events.flatMap((event) => (event.type === 'payout_requested' ? [event.data] : []));
}
const amountsOf = async (bot: string, user: number): Promise<string[]> =>
  (await requested(bot, user)).flatMap(({ payouts }) => payouts.map(({ amount }) => amount));
const paysOut = (bot: string, user: number, ...amounts: string[]) =>
  expect.poll(() => amountsOf(bot, user)).toEqual(amounts);
/** Until all that is due by now is made, and a while longer. */
async function quiet(): Promise<void> {
  await pause(1500);
}
const nextMidnight = (): void => setup.advance(DAY - (setup.now() % DAY));

it('at midnight the whole available balance is paid once in every unit; later rewards wait for the next midnight', async () => {
  const { bot, unitId } = await botThat('daily');
  const [user, other, held] = [1, 2, 3];
  await setup.earn(bot, user, unitId, '10');
  await setup.earn(bot, user, null, '0.5');
  await setup.earn(bot, held, unitId, '7', '1');
  const stop = setup.run([autoPayouts]);
  await quiet();
  expect(await amountsOf(bot, user)).toEqual([]);
  nextMidnight();
  await paysOut(bot, user, '0.5', '10');
  expect((await requested(bot, user))[0]).toMatchObject({ initiated_by: 'auto', method: 'webhook', at: setup.now() });
  await setup.earn(bot, user, unitId, '3');
  await setup.earn(bot, other, unitId, '4');
  // A new start within the same day does not make that day's again.
  await stop();
  setup.advance(13 * HOUR);
  setup.run([autoPayouts]);
  await quiet();
  expect([await amountsOf(bot, user), await amountsOf(bot, other), await amountsOf(bot, held)]).toEqual([
    ['0.5', '10'],
    [],
    [],
  ]);
  nextMidnight();
  await paysOut(bot, user, '0.5', '10', '3');
  await paysOut(bot, other, '4');
  await paysOut(bot, held, '7');
});

it('weekly and monthly payouts are made at their midnights, once for all that an outage missed', async () => {
  const [weekly, monthly, daily] = [await botThat('weekly'), await botThat('monthly'), await botThat('daily')];
  for (const { bot, unitId } of [weekly, monthly, daily]) await setup.earn(bot, 9, unitId, '10');
  nextMidnight();
  setup.advance(40 * DAY + 7 * HOUR); // no instance runs in this time
  setup.run([autoPayouts]);
  for (const { bot } of [weekly, monthly, daily]) await paysOut(bot, 9, '10');
  await quiet();
  for (const { bot } of [weekly, monthly, daily]) expect(await amountsOf(bot, 9)).toHaveLength(1);
});

it('concurrent instances make payouts once, also if one is killed half way', async () => {
  const { bot, unitId } = await botThat('daily');
  const users = Array.from({ length: 40 }, (_, index) => 100 + index);
  for (const user of users) await setup.earn(bot, user, unitId, '10');
  let appended = 0;
  const dying: EventLog = {
    ...setup.log,
    append: async (commit) => {
      if (commit.stream.startsWith(`account-${bot}`) && ++appended > 15) return new Promise(() => {});
      return setup.log.append(commit);
    },
  };
  const once = { ...autoPayouts, instances: 'all' as const };
  nextMidnight();
  // This instance hangs forever and is never stopped, like one that was killed.
  void setup.run([once], {}, dying, false);
  await expect.poll(async () => appended).toBeGreaterThan(15);
  setup.run([once]);
  setup.run([once]);
  for (const user of users) await paysOut(bot, user, '10');
  for (const user of users) await setup.earn(bot, user, unitId, '1');
  await quiet();
  for (const user of users) expect(await amountsOf(bot, user)).toEqual(['10']);
});

it('an account that cannot be read is named, and keeps no other account and no other bot from being paid', async () => {
  const [first, second] = [await botThat('daily'), await botThat('daily')];
  const broken: EventLog = {
    ...setup.log,
    read: async (stream, ...rest) => {
      if (stream === `account-${first.bot}/2` || stream === `autopayouts-${second.bot}`)
        throw new BrokenChainError(stream, 1, 'another hash');
      return setup.log.read(stream, ...rest);
    },
  };
  const third = await botThat('daily');
  for (const { bot, unitId } of [first, second, third])
    for (const user of [1, 2, 3]) await setup.earn(bot, user, unitId, '10');
  nextMidnight();
  const stop = setup.run([autoPayouts], {}, broken);
  for (const user of [1, 3]) await paysOut(first.bot, user, '10');
  for (const user of [1, 2, 3]) await paysOut(third.bot, user, '10');
  expect(await amountsOf(first.bot, 2)).toEqual([]);
  const failures = async (): Promise<string[]> =>
    (
      await setup.database.pool.query<{ subject: string }>('SELECT subject FROM processes.failures ORDER BY 1')
    ).rows.map(({ subject }) => subject);
  await expect.poll(failures).toEqual([`account ${first.bot}/2`, `bot ${second.bot}`]);
  await stop();

  // After the repair: the bot is paid at once, the account with the next period.
  setup.run([autoPayouts]);
  for (const user of [1, 2, 3]) await paysOut(second.bot, user, '10');
  nextMidnight();
  await paysOut(first.bot, 2, '10');
});
