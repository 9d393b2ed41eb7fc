import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../src/commands/decide-and-append.ts';
import { type Accounts, createAccounts as createWith } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards, reverseAccrual } from '../../../src/commands/referral/accrue-rewards.ts';
import { auditAccount } from '../../../src/commands/referral/audit-account.ts';
import { administerPayout, requestPayout } from '../../../src/commands/referral/payouts.ts';
import { balances } from '../../../src/domain/referral/account/account.ts';
import type { Closing } from '../../../src/domain/referral/account/closing.ts';
import { booksClosed } from '../../../src/domain/referral/books-events.ts';
import { accountStream, booksStream } from '../../../src/domain/streams.ts';
import { EMPTY_STREAM, type EventLog, LogUnavailableError, OutcomeUnknownError } from '../../../src/log/port.ts';
import { item } from '../../support/account-samples.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

const KEY = { bot: 'bPublic', userId: 1 };
const [ACCOUNT, BOOKS] = [accountStream(KEY.bot, KEY.userId), booksStream(KEY.bot, KEY.userId)];
const PAY = { ...KEY, method: 'manual', initiated_by: 'api' } as const;
/** Lighter blocks than in the service, so that the tests are short: the first reward locks its rate. */
const WEIGHT = 10;

function world() {
  const log = memoryLog();
  /** The streams that were read, with the revision after which. */
  const reads: string[] = [];
  const watched: EventLog = {
    ...log,
    read(stream, from = EMPTY_STREAM, atMost) {
      reads.push(`${stream.split('-')[0]} ${from.revision}`);
      return log.read(stream, from, atMost);
    },
  };
  const context: CommandContext = { log: watched, sources: testSources() };
  return { log, reads, context };
}

const open = (context: CommandContext, weight = WEIGHT): Accounts => createWith(context, undefined, weight);

async function earn(accounts: Accounts, from: number, count: number): Promise<void> {
  const items = Array.from({ length: count }, (_, index) => item(from + index));
  await accrueRewards(accounts, { bot: KEY.bot, referrer: KEY.userId, items });
}

async function closingsIn(log: EventLog): Promise<Closing[]> {
  const { commits } = await log.read(BOOKS);
  return commits.flatMap(({ events }) => events.map((event) => booksClosed.read(event).data));
}

const availableTo = (accounts: Accounts) =>
  accounts.view(KEY, (state) => balances(state, 0).get(1)?.available.toFixed() ?? '0');
const problemsIn = async (log: EventLog) =>
  (await auditAccount(log, KEY, async () => new Map(), { revision: 0, now: 0 })).problems;

describe('the books of an account', () => {
  it('are closed by the change after the one that fills a block', async () => {
    const { log, context } = world();
    const accounts = open(context);
    await earn(accounts, 0, 9);
    expect(await closingsIn(log)).toEqual([]);
    await earn(accounts, 9, 1);
    expect(await closingsIn(log)).toMatchObject([{ revision: 1, count: 9, ids: [1, 9] }]);
    for (let from = 10; from < 40; from += 3) await earn(accounts, from, 3);
    expect((await closingsIn(log)).map(({ revision, count }) => [revision, count])).toEqual([
      [1, 9],
      [5, 19],
      [9, 31],
    ]);
    expect(await problemsIn(log)).toEqual([]);
  });

  it('spare the first decision of another instance what came before', async () => {
    const { context, reads } = world();
    const first = open(context);
    for (let from = 0; from < 40; from += 4) await earn(first, from, 4);
    reads.length = 0;
    expect(await availableTo(open(context))).toBe('200');
    expect(reads).toEqual(['books 0', 'account 9']);
  });

  it('keep a reward from being earned again, by reading the one block that may have it', async () => {
    const { log, context, reads } = world();
    for (let from = 0; from < 40; from += 4) await earn(open(context), from, 4);
    const { head } = await log.read(ACCOUNT);
    const other = open(context);
    await availableTo(other);
    reads.length = 0;
    await earn(other, 5, 1);
    await earn(other, 6, 1);
    expect((await log.read(ACCOUNT)).head).toEqual(head);
    // Twice for each command, before and after the read of a block; the block is read once.
    expect(reads.filter((read) => read === 'account 0')).toHaveLength(1);
    await earn(other, 40, 1);
    expect(await availableTo(other)).toBe('205');
  });

  it('leave an old accrual to be reversed, by what became of its payout', async () => {
    const { log, context } = world();
    const accounts = open(context);
    for (let from = 0; from < 12; from += 4) await earn(accounts, from, 4);
    const { payout_id } = await requestPayout(accounts, PAY);
    for (let from = 12; from < 40; from += 4) await earn(accounts, from, 4);
    const second = await requestPayout(open(context), PAY);
    await administerPayout(accounts, { ...KEY, payoutId: payout_id, action: 'confirm', force: false });
    const reverse = (accrualId: number) => reverseAccrual(open(context), { ...KEY, accrualId, reason: null });
    expect((await reverse(1)).events).toMatchObject([{ data: { compensation_id: expect.any(Number) } }]);
    expect((await reverse(20)).events).toMatchObject([{ data: { compensation_id: null } }]);
    await expect(reverse(1)).rejects.toMatchObject({ code: 'conflict', message: 'accrual 1 is reversed already' });
    await expect(reverse(20)).rejects.toMatchObject({ message: 'accrual 20 is cancelled already' });
    await expect(reverse(404)).rejects.toMatchObject({ code: 'not_found' });
    await administerPayout(accounts, { ...KEY, payoutId: second.payout_id, action: 'cancel', force: false });
    const [compensation] = (await closingsIn(log)).flatMap(({ reversed }) => reversed);
    expect(compensation).toBe(1);
    for (const each of [accounts, open(context)]) expect(await availableTo(each)).toBe('130');
    expect(await problemsIn(log)).toEqual([]);
  });

  it('are closed by the next change if a kill came between an append and its closing', async () => {
    const { log, context } = world();
    await earn(open(context), 0, 9);
    const other = open(context);
    expect(await availableTo(other)).toBe('45');
    expect(await closingsIn(log)).toEqual([]);
    await requestPayout(other, PAY);
    expect(await closingsIn(log)).toMatchObject([{ revision: 1 }]);
  });

  it('of an account without closings are closed block by block by its next change', async () => {
    const { log, context } = world();
    const former = open(context, Number.POSITIVE_INFINITY);
    for (let from = 0; from < 60; from += 6) await earn(former, from, 6);
    await reverseAccrual(former, { ...KEY, accrualId: 2, reason: null });
    expect(await closingsIn(log)).toEqual([]);
    expect(await availableTo(open(context))).toBe('295');
    expect(await closingsIn(log)).toEqual([]);
    await requestPayout(open(context), PAY);
    expect(await closingsIn(log)).toMatchObject(
      [2, 4, 6, 8, 10, 11].map((revision) => ({ revision, cancelled: revision === 11 ? [2] : [] })),
    );
    expect(await problemsIn(log)).toEqual([]);
  });

  it('are closed once by two instances at once', async () => {
    const { log, context } = world();
    const instances = [open(context), open(context), open(context)];
    await earn(instances[0]!, 0, 30);
    await Promise.all(instances.map(availableTo));
    await Promise.all(instances.map((each, index) => earn(each, 30 + 3 * index, 3)));
    await Promise.all(instances.map((each, index) => earn(each, 39 + 3 * index, 3)));
    expect((await closingsIn(log)).map(({ revision }) => revision)).toEqual([1, 5]);
    expect(await availableTo(open(context))).toBe('240');
    expect(await problemsIn(log)).toEqual([]);
  });

  it('may be closed elsewhere by an instance whose blocks have another weight', async () => {
    const { log, context } = world();
    const [light, heavy] = [open(context), open(context, 15)];
    for (let from = 0; from < 60; from += 6) await earn(from % 12 === 0 ? light : heavy, from, 6);
    expect(await availableTo(light)).toBe('300');
    expect(await availableTo(open(context))).toBe('300');
    await earn(light, 3, 1);
    await earn(heavy, 31, 1);
    expect(await availableTo(heavy)).toBe('300');
    expect((await closingsIn(log)).length).toBeGreaterThan(2);
    expect(await problemsIn(log)).toEqual([]);
  });

  it('fail the change if they cannot be closed, with nothing of it done, and are closed when it is repeated', async () => {
    const { log, context } = world();
    let fail: Error | null = new OutcomeUnknownError('lost');
    const failing: EventLog = {
      ...log,
      async append(commit) {
        const appended = await log.append(commit);
        if (fail !== null && commit.stream === BOOKS) throw fail;
        return appended;
      },
    };
    const accounts = open({ ...context, log: failing });
    await earn(accounts, 0, 9);
    await expect(requestPayout(accounts, PAY)).rejects.toBeInstanceOf(LogUnavailableError);
    fail = null;
    await requestPayout(accounts, PAY);
    expect(await closingsIn(log)).toHaveLength(1);
    expect((await log.read(ACCOUNT)).commits).toHaveLength(2);
  });
});
