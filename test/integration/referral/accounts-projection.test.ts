import Big from 'big.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import type { Tables } from '../../../src/database/tables.ts';
import { account } from '../../../src/domain/referral/account/account.ts';
import { historyOf } from '../../../src/domain/referral/account/history.ts';
import type { AccountEvent } from '../../../src/domain/referral/account/state.ts';
import { Rejection } from '../../../src/domain/rejection.ts';
import { accountStream } from '../../../src/domain/streams.ts';
import { accountsReadModel } from '../../../src/projections/accounts/read-model.ts';
import { referralReadModel } from '../../../src/projections/referral/read-model.ts';
import type { AccountName } from '../../../src/queries/referral/account-source.ts';
import { accrualsOf } from '../../../src/queries/referral/accrual-list.ts';
import { entriesOf } from '../../../src/queries/referral/entries.ts';
import { balanceAt, balanceOf, balancesOf } from '../../../src/queries/referral/find-balance.ts';
import { historyRows } from '../../../src/queries/referral/history-rows.ts';
import { type Oracle, oracle } from '../../support/account-oracle.ts';
import { DAY, NOON } from '../../support/account-samples.ts';
import { commandOf, type Step, steps } from '../../support/account-steps.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { applyBatch } from '../../support/projection.ts';
import { createFirstTables, firstSchema } from '../../support/read-model-tables.ts';
import { rowsOf } from '../../support/replay.ts';
import { testSources } from '../../support/test-sources.ts';

let database: TestDatabase;
let source: Tables<'accounts' | 'referral'>;
beforeAll(async () => {
  database = await createTestDatabase();
  await createFirstTables(database.pool, referralReadModel);
  source = {
    pool: database.pool,
    accounts: firstSchema(accountsReadModel),
    referral: firstSchema(referralReadModel),
  };
});
afterAll(() => database.drop());

async function emptyTables(): Promise<void> {
  await database.pool.query(`DROP SCHEMA IF EXISTS ${source.accounts} CASCADE`);
  await createFirstTables(database.pool, accountsReadModel);
}

/** Takes the steps of two accounts, and tells of each: the oracle next to the log. */
async function walk(taken: readonly Step[]) {
  const log = memoryLog();
  const sources = testSources(NOON);
  // A cache too small for both: the folds come and go.
  const accounts = createAccounts({ log, sources }, 60);
  const expected = new Map<number, Oracle>([1, 2].map((userId) => [userId, oracle()]));
  for (const [index, step] of taken.entries()) {
    const key = { bot: 'bPublic', userId: 1 + (index % 2) };
    if (step.type === 'wait') sources.advance(step.ms);
    else {
      const command = await accounts.view(key, (state) => commandOf(step, state, sources.now()));
      const events = command === null ? [] : await accounts.change(key, command).then(({ events }) => events, refused);
      for (const event of events) expected.get(key.userId)!.apply(event);
    }
  }
  return { log, now: () => sources.now(), expected };
}

function refused(error: unknown): [] {
  if (!(error instanceof Rejection)) throw error;
  return [];
}

const balanceRows = (expected: Oracle, now: number): object[] =>
  [...expected.balances(now)]
    .map(([unit_id, [available, reserved, paid, on_hold]]) => ({ unit_id, available, reserved, paid, on_hold }))
    .sort((a, b) => (a.unit_id ?? 0) - (b.unit_id ?? 0));

async function compare(key: AccountName, expected: Oracle, now: number): Promise<void> {
  const balances = balanceRows(expected, now);
  expect(await balanceOf(source, key, now)).toEqual(balances);
  const all = await balancesOf(source, key.bot, [key.userId, 404], now);
  expect(all.map(({ user_id, earned, ...row }) => row)).toEqual(balances);
  for (const { earned, available, reserved, paid, on_hold } of all)
    expect(new Big(available).plus(reserved).plus(paid).plus(on_hold).toFixed()).toBe(earned);
  const entries = await entriesOf(source, 1, key, { limit: 1000, offset: 0 });
  expect(new Map(entries.map(({ accrual_id, payout_id }) => [accrual_id, payout_id]))).toEqual(expected.payouts());
  for (const { compensates, accrual_id } of entries)
    if (compensates !== null)
      expect(entries.find((entry) => entry.accrual_id === compensates)!.compensated_by).toBe(accrual_id);
  for (const payoutId of new Set(entries.map(({ payout_id }) => payout_id)))
    if (payoutId !== null)
      expect(await entriesOf(source, 1, key, { payoutId, limit: 1000, offset: 0 })).toEqual(
        entries.filter(({ payout_id }) => payout_id === payoutId),
      );
  const some = entries.filter((_, index) => index % 3 === 0);
  const accrualIds = [...some.map(({ accrual_id }) => accrual_id), 404_404];
  expect(await entriesOf(source, 1, key, { accrualIds, limit: 1000, offset: 0 })).toEqual(some);
  const accruals = await accrualsOf(source, key, { limit: 1000, offset: 0 }, now);
  expect(new Map(accruals.map(({ id, status }) => [id, status]))).toEqual(expected.statuses(now));
  for (const { available_at, status } of accruals) expect(available_at !== null).toBe(status === 0);
  expect([...accruals].sort((a, b) => b.date - a.date)).toEqual(accruals);
  for (const offset of [1, Math.floor(accruals.length / 2), accruals.length - 1, accruals.length, 1000])
    expect(await accrualsOf(source, key, { limit: 2, offset }, now)).toEqual(accruals.slice(offset, offset + 2));
}

describe('the read model of accounts', () => {
  it('equals a plain list of all events, however commits are cut into batches', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, size: 'max', maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(steps(120), cuts, async (taken, sizes) => {
        const { log, now, expected } = await walk(taken);
        await emptyTables();
        const commits = log.commits[0]!.filter(({ stream }) => stream.startsWith('account-'));
        for (let done = 0, cut = 0; done < commits.length; cut++) {
          const size = sizes[cut % sizes.length]!;
          await applyBatch(database.pool, accountsReadModel, commits.slice(done, done + size), log.keys);
          done += size;
        }
        for (const [userId, ofUser] of expected) {
          const key = { bot: 'bPublic', userId };
          // Of the moment, of the millisecond before and behind holds, and of when all have passed.
          for (const time of [now(), now() + DAY / 2 - 1, now() + DAY / 2, now() + 2 * DAY])
            await compare(key, ofUser, time);
          const stream = commits.filter((commit) => commit.stream === accountStream(key.bot, userId));
          const read = stream.map(({ revision, events }) => ({
            revision: revision!,
            events: events.map((event): AccountEvent => account.read(event)),
          }));
          const all = { limit: null, offset: 0 };
          for (const until of [now(), now() - DAY / 2, NOON + DAY]) {
            const lines = historyOf(read, until);
            expect(await historyRows(source, key, { ...all, until }, now())).toEqual(lines);
            const latest = { until, descending: true, limit: 3, offset: 2 };
            expect(await historyRows(source, key, latest, now())).toEqual(lines.toReversed().slice(2, 5));
            const then = oracle();
            for (const event of read.flatMap(({ events }) => events)) if (event.data.at <= until) then.apply(event);
            expect(await balanceAt(source, key, until)).toEqual(balanceRows(then, until));
          }
          const whole = historyOf(read, now() + DAY);
          expect(await historyRows(source, key, all, now() + DAY)).toEqual(whole);
          const latest = { unitId: 1, descending: true, limit: 3, offset: 2 };
          expect(await historyRows(source, key, { ...all, descending: true }, now() + DAY)).toEqual(whole.toReversed());
          const ofUnit = whole.filter(({ unit_id }) => unit_id === 1);
          expect(await historyRows(source, key, latest, now() + DAY)).toEqual(ofUnit.toReversed().slice(2, 5));
          const without = whole.filter(({ unit_id }) => unit_id === null);
          expect(await historyRows(source, key, { ...all, unitId: null }, now() + DAY)).toEqual(without);
          const page = ofUnit.slice(2, 5);
          expect(await historyRows(source, key, { unitId: 1, limit: 3, offset: 2 }, now() + DAY)).toEqual(page);
        }
        const rows = await rowsOf(database.pool, accountsReadModel);
        await emptyTables();
        await applyBatch(database.pool, accountsReadModel, commits, log.keys);
        expect(await rowsOf(database.pool, accountsReadModel), 'replayed at once').toEqual(rows);
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });
});
