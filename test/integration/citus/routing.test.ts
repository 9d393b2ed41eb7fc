import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../src/database/transaction.ts';
import type { LedgerEvent } from '../../../src/domain/ledger-events.ts';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import { storedConditions } from '../../../src/domain/saved-segments/stored-conditions.ts';
import { accountsReadModel } from '../../../src/projections/accounts/read-model.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import type { ReadCommit, ReadModel } from '../../../src/projections/read-model.ts';
import { referralReadModel } from '../../../src/projections/referral/read-model.ts';
import { applyTo } from '../../../src/projections/runtime/apply.ts';
import { usersReadModel } from '../../../src/projections/users/read-model.ts';
import { balanceOf } from '../../../src/queries/referral/find-balance.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { reportRunner } from '../../../src/queries/reports/run-report.ts';
import { startCitus } from '../../support/citus-server.ts';
import { createTestDatabase, onServerOf, type TestDatabase } from '../../support/database.ts';
import { partitionsOf, step } from '../../support/intake-logs.ts';
import { createFirstTables, firstSchema } from '../../support/read-model-tables.ts';
import { readModels } from '../../support/read-models.ts';
import { expectOneNodeEach, type Sent, statementsOf } from '../../support/routing.ts';

const cluster = await startCitus();

describe.skipIf(cluster === null)('on a Citus cluster', () => {
  onServerOf(cluster);
  let database: TestDatabase;
  /** The second half of the intake of both bots. */
  let intake: ReadCommit[];

  beforeAll(async () => {
    database = await createTestDatabase();
    for (const model of readModels) await createFirstTables(database.pool, model);
    const commits = [...partitionsOf(fc.sample(step, { numRuns: 300, seed: 1 })).values()].flat();
    // The first batch creates the bots, and the second one loads them. From then on, programs know their ids.
    for (const model of [usersReadModel, eventsReadModel, referralReadModel])
      await apply(
        model,
        commits.filter(({ stream }) => !stream.startsWith('intake-')),
      );
    const intakeOf = (bot: string) => commits.filter(({ stream }) => stream === `intake-${bot}`);
    const halves = ['a', 'b'].map(intakeOf).map((all) => [all.slice(0, all.length / 2), all.slice(all.length / 2)]);
    intake = halves.flatMap(([, second]) => second!);
    for (const model of [usersReadModel, eventsReadModel, referralReadModel])
      await apply(
        model,
        halves.flatMap(([first]) => first!),
      );
  });
  afterAll(() => database.drop());

  function apply(model: ReadModel, batch: readonly ReadCommit[]): Promise<void> {
    return inTransaction(database.pool, async (tx) => {
      await tx.query(`SET LOCAL search_path TO ${firstSchema(model)}`);
      await applyTo(
        model,
        tx,
        batch
          .map((commit) => ({ ...commit, events: commit.events.filter(({ type }) => isWanted(model, type)) }))
          .filter(({ events }) => events.length > 0),
      );
    });
  }

  /** The sampled log creates a unit twice, which `referral` does not allow. */
  const isWanted = ({ name, events }: ReadModel, type: LedgerEvent['type']): boolean =>
    events.includes(type) && (name !== 'referral' || type !== 'unit_created');

  const expectOneNode = (model: ReadModel, sent: readonly Sent[]) =>
    expectOneNodeEach(database.pool, firstSchema(model), sent);

  it.each([usersReadModel, eventsReadModel, referralReadModel])(
    'each statement of the projection of a batch goes to one node: $name',
    async (model) => {
      const sent = await statementsOf(() => apply(model, intake));
      await expectOneNode(model, sent);
    },
  );

  const chart = {
    type: 'trends',
    type_chart: 'line',
    requests: [
      { type: 'trend', event_id: null, event_name: 'any', agr: 'total' },
      { type: 'trend', event_id: 101, event_name: 'x', agr: 'total_uniq_user_id' },
      { type: 'trend', event_id: 101, event_name: 'x', agr: 'property_sum', agr_field: 'events.value_amount' },
    ],
  };
  const list = { type: 'list', type_chart: 'list', table: 'events', columns: ['events.date', 'user.username'] };
  const inSegment = ['=', 'user.saved_segments.7', true];
  const SAVED = '{"user_conditions":["is","users.gender",null],"event_filters":["performed_event",{"negation":true}]}';

  it.each([
    ['a chart', chart],
    ['a chart of a saved segment', { ...chart, filters: ['and', inSegment, ['=', 'user.is_premium', true]] }],
    ['a list of a saved segment', { ...list, filters: inSegment }],
  ])('each statement of a report goes to one node: %s', async (_, source) => {
    const params = { ':date_from': '2024-01-01 00:00:00', ':date_to': '2024-02-01 00:00:00' };
    const parsed = parseReport({ source_request: source, settings: { params } }, 'UTC');
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const tables = { events: 'events_v1', users: 'users_v1', referral: 'referral_v1' };
    const run = reportRunner(database.pool, createChunkCache(1000));
    const sent = await statementsOf(() =>
      run({
        ...{ tables, botId: 1, parsed, now: Date.UTC(2024, 1, 2), lagMs: 0, timeoutMs: 60_000, limit: 10 },
        savedSegments: new Map([[7, storedConditions(SAVED, 'UTC')]]),
      }),
    );
    const parts = sent.map(({ text, values }) => ({ text: text.replace(/^BEGIN.*?; SET LOCAL.*?; /s, ''), values }));
    await expectOneNode(eventsReadModel, parts);
  });

  it('a balance comes from one node', async () => {
    const source = { pool: database.pool, accounts: firstSchema(accountsReadModel) };
    const sent = await statementsOf(() => balanceOf(source, { bot: 'a', userId: 1 }, 0));
    await expectOneNode(accountsReadModel, sent);
  });

  it('two bots are on two workers', async () => {
    const { rows } = await database.pool.query<{ node: string }>(
      `SELECT DISTINCT p.nodename || ':' || p.nodeport AS node
         FROM (SELECT DISTINCT bot_id FROM events_v1.events) b
         JOIN citus_shards p ON p.shardid = get_shard_id_for_distribution_column('events_v1.events', b.bot_id)`,
    );
    expect(rows).toHaveLength(2);
  });
});
