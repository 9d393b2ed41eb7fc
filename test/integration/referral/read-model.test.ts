import fc from 'fast-check';
import type { ClientBase } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerEvent } from '../../../src/domain/ledger-events.ts';
import type { ReadCommit } from '../../../src/projections/read-model.ts';
import { referralReadModel } from '../../../src/projections/referral/read-model.ts';
import { botCreated, readCommit } from '../../support/intake-commits.ts';
import { cut, DAY, EPOCH, MINUTE } from '../../support/intake-logs.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { foldReferrals, type ReferralSnapshot } from '../../support/referral-fold.ts';
import { createTestProjection, type TestProjection } from '../../support/test-projection.ts';

let projection: TestProjection;

beforeAll(async () => {
  projection = await createTestProjection(referralReadModel);
});
afterAll(() => projection.drop());

/** The bots' snapshots, by bot id. */
async function snapshots(tx: ClientBase): Promise<ReferralSnapshot[]> {
  return Promise.all(
    [1, 2].map(async (bot) => {
      const rows = async (columns: string, table: string): Promise<object[]> =>
        (await tx.query(`SELECT ${columns} FROM ${table} WHERE bot_id = $1`, [bot])).rows;
      const known = (await rows('user_id::float8', 'known_users')) as { user_id: number }[];
      // The counts are the counts of the fold's referrals.
      const count = `SELECT bot_id, referrer_id AS user_id, count(*) AS referrals FROM referrals GROUP BY 1, 2`;
      const { rows: wrong } = await tx.query(
        `(TABLE referrers EXCEPT ${count}) UNION ALL (${count} EXCEPT TABLE referrers)`,
      );
      expect(wrong).toEqual([]);
      const outcomes = (await rows('commit_id, outcome', 'outcomes')) as { commit_id: string; outcome: object }[];
      return {
        known: known.map(({ user_id }) => user_id),
        codes: await rows('code, owner_id::float8, listed, date_create::float8, ord::float8', 'codes'),
        visits: await rows('code, user_id::float8, date::float8, ord::float8', 'visits'),
        referrals: await rows('user_id::float8, referrer_id::float8, code, date::float8, ord::float8', 'referrals'),
        outcomes: Object.fromEntries(outcomes.map(({ commit_id, outcome }) => [commit_id, outcome])),
      };
    }),
  );
}

/** Rows in a fixed order. */
function sorted({ known, codes, visits, referrals, outcomes }: ReferralSnapshot): ReferralSnapshot {
  const rows = (all: readonly object[]): object[] =>
    [...all].sort((a, b) =>
      JSON.stringify(Object.entries(a).sort()) < JSON.stringify(Object.entries(b).sort()) ? -1 : 1,
    );
  return {
    known: [...known].sort(),
    codes: rows(codes),
    visits: rows(visits),
    referrals: rows(referrals),
    outcomes,
  };
}

const pick = fc.constantFrom;
const user = fc.integer({ min: 1, max: 5 });
const code = pick('a', 'b', 'c', '__proto__');
const visitItem = fc.record({
  update_id: fc.integer({ min: 1, max: 30 }),
  user_id: user,
  date: fc.option(
    fc.integer({ min: 0, max: 3 }).map((n) => EPOCH + n * 1000),
    { nil: undefined },
  ),
  makes_user: fc.boolean(),
  is_bot: fc.constant(false),
  is_premium: fc.constant(false),
  event_id: fc.constant(1),
  start_param: fc.option(code, { nil: undefined, freq: 4 }),
});
const event: fc.Arbitrary<{ category: string; event: LedgerEvent }> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(visitItem, { minLength: 1, maxLength: 3 }).map((items) => ({
      category: 'intake',
      event: { type: 'updates_received' as const, data: { items } },
    })),
  },
  {
    weight: 1,
    arbitrary: user.map((user_id) => ({
      category: 'intake',
      event: { type: 'users_imported' as const, data: { items: [{ user_id }] } },
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.record({ user_id: user, referrer_id: user, date: fc.option(fc.constant(EPOCH - 1000), { nil: undefined }) }),
        {
          minLength: 1,
          maxLength: 3,
        },
      )
      .map((items) => ({
        category: 'import',
        event: { type: 'referrals_imported' as const, data: { items, line: 1, refused: 0, finished: false } },
      })),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map((referral_new_users_only) => ({
      category: 'bot',
      event: { type: 'bot_changed' as const, data: { referral_new_users_only } },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ code, user_id: user }).map((data) => ({
      category: 'referral',
      event: { type: 'referral_code_created' as const, data },
    })),
  },
  {
    weight: 3,
    arbitrary: fc.array(fc.record({ code, user_id: user }), { minLength: 1, maxLength: 3 }).map((elements) => ({
      category: 'referral',
      event: { type: 'referral_code_owners_set' as const, data: { elements } },
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        user,
        fc.oneof(
          code.map((each) => ({ code: each, referrer_id: null, new_code: null })),
          fc
            .record({ referrer_id: user, new_code: fc.option(pick('a', 'n', 'm')) })
            .map((by) => ({ code: null, ...by })),
        ),
      )
      .map(([referral_user_id, by]) => ({
        category: 'referral',
        event: { type: 'referral_marked' as const, data: { referral_user_id, ...by } },
      })),
  },
);
const step = fc.record({ bot: pick('a', 'b'), wait: pick(0, 1000, MINUTE, -1000), event });

/** One partition with both bots. */
function logOf(steps: readonly { bot: string; wait: number; event: { category: string; event: LedgerEvent } }[]) {
  let at = EPOCH;
  const created = ['a', 'b'].map((key, i) => readCommit(`bot-${key}`, i + 1, at, [botCreated(i + 1, key, 1)]));
  const rest = steps.map(({ bot, wait, event: { category, event } }, i) => {
    at += wait;
    return readCommit(`${category}-${bot}`, i + 3, at, [event]);
  });
  return [...created, ...rest];
}

const of = (bot: string, log: readonly ReadCommit[]): ReadCommit[] =>
  log.filter(({ stream }) => stream.endsWith(`-${bot}`));

describe('the read model `referral`', () => {
  it('equals a plain fold of the log, however batches are cut', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), sizes, async (steps, sizes) => {
        const log = logOf(steps);
        const expected = ['a', 'b'].map((bot) => sorted(foldReferrals(of(bot, log))));
        const held = await projection.project(cut(log, sizes), snapshots);
        expect(held.map(sorted)).toEqual(expected);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it('forgets the outcomes of changes after two days, however batches are cut', async () => {
    const create = (bot: string, ordinal: number, at: number): ReadCommit =>
      readCommit(`referral-${bot}`, ordinal, at, [
        { type: 'referral_code_created', data: { code: `c${ordinal}`, user_id: 1 } },
      ]);
    const log = [
      ...logOf([]),
      create('a', 3, EPOCH),
      create('a', 4, EPOCH + 1.5 * DAY),
      create('a', 5, EPOCH + 2.5 * DAY),
      // Of a clock that is far behind: no caller could ask for it.
      create('a', 6, EPOCH - DAY),
    ];
    for (const sizes of [[1], [3], [10]]) {
      const [held] = await projection.project(cut(log, sizes), snapshots);
      expect(Object.keys(held!.outcomes).sort()).toEqual([log[3]!.id, log[4]!.id].sort());
      expect(held!.codes).toHaveLength(4);
    }
  });

  it('has every state of a rule, by its place in the log', async () => {
    const log = [
      ...logOf([]),
      readCommit('bot-a', 3, EPOCH, [
        { type: 'unit_created', data: { unit_id: 5, code: 'GEM', name: null, scale: 1 } },
      ]),
      readCommit('program-a', 4, EPOCH, [
        {
          type: 'reward_rule_created',
          data: {
            rule_id: 9,
            name: 'Order',
            trigger_event_id: 100,
            reward_type: 'fixed',
            amount: '0.1',
            percent: null,
            unit_id: 5,
            hold_days: '7.5',
            active: true,
          },
        },
      ]),
      readCommit('program-a', 5, EPOCH, [{ type: 'reward_rule_changed', data: { rule_id: 9, amount: '0.2' } }]),
      readCommit('program-a', 6, EPOCH, [{ type: 'reward_rule_changed', data: { rule_id: 9, active: false } }]),
    ];
    const created = {
      bot_id: 1,
      rule_id: '9',
      ord: '4096',
      name: 'Order',
      trigger_event_id: 100,
      reward_type: 'fixed',
    };
    const terms = { amount: '0.1', percent: null, unit_id: '5', hold_days: '7.5', active: true };
    const state = await projection.project(cut(log, [2]), async (tx) => ({
      units: (await tx.query('SELECT * FROM units')).rows,
      rules: (await tx.query('SELECT * FROM rules ORDER BY ord')).rows,
    }));
    expect(state).toEqual({
      units: [{ bot_id: 1, unit_id: '5', code: 'GEM', name: null, scale: 1 }],
      rules: [
        { ...created, ...terms },
        { ...created, ...terms, ord: '5120', amount: '0.2' },
        { ...created, ...terms, ord: '6144', amount: '0.2', active: false },
      ],
    });
  });
});
