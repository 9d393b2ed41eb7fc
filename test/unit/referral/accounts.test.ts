import { describe, expect, it } from 'vitest';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { createOwner } from '../../../src/commands/catalog/change-owner.ts';
import { ensureUnit } from '../../../src/commands/catalog/units.ts';
import type { CommandContext } from '../../../src/commands/decide-and-append.ts';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards, reverseAccrual } from '../../../src/commands/referral/accrue-rewards.ts';
import { requestPayout } from '../../../src/commands/referral/payouts.ts';
import { createIdPool } from '../../../src/commands/reserve-ids.ts';
import { balances } from '../../../src/domain/referral/account/account.ts';
import { LogUnavailableError } from '../../../src/log/port.ts';
import { item, percentItem } from '../../support/account-samples.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

const KEY = { bot: 'bPublic', userId: 1 };
const PAY = { ...KEY, method: 'manual', initiated_by: 'api' } as const;

function world() {
  const log = memoryLog();
  /** From which revision the account was read, each time. */
  const reads: number[] = [];
  const watched: CommandContext['log'] = {
    ...log,
    read: (stream, from, atMost) => {
      if (stream.startsWith('account-')) reads.push(from?.revision ?? 0);
      return log.read(stream, from, atMost);
    },
  };
  const context: CommandContext = { log: watched, sources: testSources() };
  return { log, context, reads, accounts: createAccounts(context) };
}

const earn = (accounts: ReturnType<typeof createAccounts>, ...items: Parameters<typeof accrueRewards>[1]['items']) =>
  accrueRewards(accounts, { bot: KEY.bot, referrer: KEY.userId, items });

const availableOf = (accounts: ReturnType<typeof createAccounts>) =>
  accounts.view(KEY, (state) => balances(state, 0).get(1)?.available.toFixed());

describe('accounts', () => {
  it('are read on from their last commit in the cache, and from the beginning if the cache had no room', async () => {
    const { accounts, context, reads } = world();
    for (const index of [0, 1, 2]) await earn(accounts, item(index));
    reads.length = 0;
    expect(await availableOf(accounts)).toBe('15');
    expect(await availableOf(accounts)).toBe('15');
    expect(reads).toEqual([2, 3]);
    // Concurrent callers read the same commit, and count it once.
    await earn(createAccounts(context), item(3));
    const asked = await Promise.all([availableOf(accounts), availableOf(accounts), availableOf(accounts)]);
    expect(asked).toEqual(['20', '20', '20']);
    const small = createAccounts(context, 2);
    reads.length = 0;
    expect([await availableOf(small), await availableOf(small)]).toEqual(['20', '20']);
    expect(reads).toEqual([0, 0]);
  });

  it('of many commits are read page by page, once for concurrent callers', async () => {
    const { accounts, context, reads } = world();
    for (let index = 0; index < 250; index++) await earn(accounts, item(index));
    reads.length = 0;
    const fresh = createAccounts(context);
    expect(await Promise.all([availableOf(fresh), availableOf(fresh)])).toEqual(['1250', '1250']);
    expect(reads).toEqual([0, 100, 200, 250]);
  });

  it('are paid out once by a hundred concurrent requests of two processes', async () => {
    const { accounts, context } = world();
    await earn(accounts, item(0));
    const other = createAccounts(context);
    const requests = Array.from({ length: 100 }, (_, n) => requestPayout(n % 2 === 0 ? accounts : other, PAY));
    const outcomes = await Promise.allSettled(requests);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ message: 'no available balance' });
  });

  it('lock one rate when two concurrent first rewards have different rates', async () => {
    const { accounts, context } = world();
    const other = createAccounts(context);
    await Promise.all([
      earn(accounts, item(0, { rule: { amount: '5' } })),
      earn(other, item(1, { rule: { amount: '7' } })),
    ]);
    expect(['10', '14']).toContain(await availableOf(accounts));
  });

  it('answer a repeat as the first time even if it would be refused now', async () => {
    const { accounts, context } = world();
    await earn(accounts, item(0));
    const meta = { command: { id: 'c1' } };
    const first = await requestPayout(accounts, PAY, meta);
    expect(first.repeated).toBe(null);
    for (const each of [accounts, createAccounts(context)]) {
      const { payout_ids, repeated } = await requestPayout(each, PAY, meta);
      expect({ payout_ids, again: repeated !== null }).toEqual({ payout_ids: first.payout_ids, again: true });
    }
    await earn(accounts, item(1));
    expect((await requestPayout(accounts, PAY, meta)).payout_ids).toEqual(first.payout_ids);
    await expect(reverseAccrual(accounts, { ...KEY, accrualId: 404, reason: null })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('give no id twice, and take back ids that a refusal did not use', async () => {
    const { accounts, context } = world();
    await earn(accounts, item(0), item(1));
    const ids = await accounts.view(KEY, ({ open }) => [...open.accruals.keys()]);
    expect(ids).toEqual([1, 2]);
    // An item that earns nothing gives its id back.
    await earn(accounts, percentItem(2, '1', '-5'), item(3));
    await earn(accounts, item(4));
    await earn(createAccounts(context), item(5));
    expect(await accounts.view(KEY, ({ open }) => [...open.accruals.keys()])).toEqual([1, 2, 3, 4, 101]);
  });

  it('give no id twice if the engine takes its own retry of the append for a repeat', async () => {
    const { context } = world();
    const log: CommandContext['log'] = {
      ...context.log,
      async append(commit) {
        if (commit.stream.startsWith('account-')) await context.log.append(commit);
        return context.log.append(commit);
      },
    };
    const accounts = createAccounts({ ...context, log });
    await earn(accounts, item(0));
    await earn(accounts, item(1));
    expect(await accounts.view(KEY, ({ open }) => [...open.accruals.keys()])).toEqual([1, 2]);
  });
});

describe('an id pool', () => {
  it('reserves a block for many callers, or more if one call asks for more', async () => {
    const { context, log } = world();
    const pool = createIdPool(context, 'payout');
    const taken = (await Promise.all(Array.from({ length: 60 }, () => pool.take(2)))).flat();
    expect(new Set(taken).size).toBe(120);
    expect(log.commits.flat()).toHaveLength(2);
    expect(await pool.take(500)).toHaveLength(500);
    const other = await createIdPool(context, 'payout').take(1);
    expect(taken).not.toContain(other[0]);
  });

  it('fails while the log is down, and works again after', async () => {
    const { context } = world();
    let down = true;
    const log: CommandContext['log'] = {
      ...context.log,
      append: (commit) => (down ? Promise.reject(new LogUnavailableError('down')) : context.log.append(commit)),
    };
    const pool = createIdPool({ ...context, log }, 'payout');
    await expect(Promise.all([pool.take(1), pool.take(1)])).rejects.toBeInstanceOf(LogUnavailableError);
    down = false;
    expect(await pool.take(1)).toEqual([1]);
  });
});

describe('a reward in a currency without a unit', () => {
  const yen = (index: number) =>
    percentItem(index, '10', '', { base: { value: '155', rate: '1', unit: { currency: 'JPY' } } });

  it('creates the unit once, with the decimals of the currency', async () => {
    const { accounts, context } = world();
    const { ownerId } = await createOwner(context, {
      name: 'Ann',
      currency: 'EUR',
      plan: 'premium',
      broadcastsPerMonth: 1,
    });
    const { publicKey: bot } = await createBot(context, { ownerId, name: 'Shop' });
    const other = createAccounts(context);
    await Promise.all([
      accrueRewards(accounts, { bot, referrer: 1, items: [yen(0)] }),
      accrueRewards(other, { bot, referrer: 2, items: [yen(0)] }),
    ]);
    const unit = await ensureUnit(context, bot, 'JPY');
    expect(unit.scale).toBe(0);
    for (const userId of [1, 2]) {
      const amounts = await other.view({ bot, userId }, ({ open }) => [...open.accruals.values()]);
      expect(amounts).toMatchObject([{ amount: '16', unit_id: unit.unit_id }]);
    }
    const { commits } = await context.log.read(`bot-${bot}`);
    expect(commits.flatMap(({ events }) => events).filter(({ type }) => type === 'unit_created')).toHaveLength(1);
  });

  it('is refused if there is no such bot', async () => {
    const { accounts } = world();
    await expect(earn(accounts, yen(0))).rejects.toMatchObject({ code: 'not_found' });
  });
});
