import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Announcing, CUT_OFF_MS, dueAt } from '../../../src/domain/referral/delivery.ts';
import { SET_BACK_MS } from '../../../src/domain/set-back.ts';
import { accountsReadModel } from '../../../src/projections/accounts/read-model.ts';
import { nextDue } from '../../../src/queries/referral/find-deliveries.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { createFirstTables, firstSchema } from '../../support/read-model-tables.ts';

/** The delivery looks for due payouts in SQL, and decides about each by the rule of the domain. */

const NOW = Date.UTC(2026, 0, 1);
const FIRST_DELAY_SECONDS = 10;
const accounts = firstSchema(accountsReadModel);
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await createFirstTables(database.pool, accountsReadModel);
});
afterAll(() => database.drop());

interface Case {
  readonly payout: Announcing;
  readonly requestedAt: number;
  readonly webhook: { readonly address: number; readonly setAt: number };
}

/** Times about the limits of the rule. */
const time = fc
  .tuple(
    fc.constantFrom(0, SET_BACK_MS, -CUT_OFF_MS, -FIRST_DELAY_SECONDS * 1000, 60_000),
    fc.integer({ min: -2, max: 2 }),
  )
  .map(([limit, off]) => NOW + limit + off);
const webhook = fc.record({ address: fc.integer({ min: 1, max: 3 }), setAt: time });
const attempted = fc
  .record({
    attempt: fc.constantFrom('open', 'failed', 'accepted' as const),
    attempted_at: time,
    address: fc.option(fc.integer({ min: 1, max: 3 })),
    next_at: fc.option(time),
  })
  // Only a failed attempt has a time of the next one.
  .map((made) => ({ ...made, next_at: made.attempt === 'failed' ? made.next_at : null }));
const cases: fc.Arbitrary<Case> = fc
  .record({ requestedAt: time, retriedAt: fc.option(time), attempted, webhook })
  .chain(({ requestedAt, retriedAt, attempted: made, webhook: set }) => {
    const asked_at = retriedAt ?? requestedAt;
    const created = { status: 0, asked_at, attempt: null, attempted_at: null, address: null, next_at: retriedAt };
    return fc.constantFrom<Announcing>(created, { status: 1, asked_at, ...made }).map((payout) => ({
      payout,
      requestedAt,
      webhook: set,
    }));
  });

/** When the statement says that the payout is due. */
async function dueInSql({ payout, requestedAt, webhook: { address, setAt } }: Case): Promise<number | null> {
  const { pool } = database;
  for (const table of ['payouts', 'webhooks', 'attempts']) await pool.query(`DELETE FROM ${accounts}.${table}`);
  await pool.query(`INSERT INTO ${accounts}.webhooks VALUES ('bot', $1, $2)`, [address, setAt]);
  await pool.query(
    `INSERT INTO ${accounts}.payouts (payout_id, user_id, place, requested_at, unit, next_at, attempts, address, status, amount,
                                      public_key, method, initiated_by, attempt)
     VALUES (1, 1, 1, $1, 0, $2, 1, $3, $4, 1, 'bot', 'webhook', 'user', $5)`,
    [requestedAt, payout.next_at, payout.address, payout.status, payout.attempt],
  );
  if (payout.attempted_at !== null)
    await pool.query(`INSERT INTO ${accounts}.attempts (public_key, payout_id, attempt, at) VALUES ('bot', 1, 1, $1)`, [
      payout.attempted_at,
    ]);
  const tables = { pool, accounts, catalog: 'catalog_v1' };
  return nextDue(tables, { now: NOW, firstDelay: FIRST_DELAY_SECONDS, except: [], exceptBots: [] });
}

describe('the statement for due payouts', () => {
  it('agrees with the rule that decides about each payout', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const rule = dueAt(given.payout, [FIRST_DELAY_SECONDS], given.webhook, NOW);
        const found = await dueInSql(given);
        expect(found).toBe(rule);
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});
