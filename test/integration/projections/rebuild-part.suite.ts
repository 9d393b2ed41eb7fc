import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHUNK_EVENTS } from '../../../src/columns/chunk.ts';
import { NEWEST_EVENTS } from '../../../src/projections/events/packed/due.ts';
import { type ReadModel, schemaOf } from '../../../src/projections/read-model.ts';
import { tablesOf } from '../../../src/projections/runtime/versions.ts';
import { type Answers, allAnswers, type FilledBots, fillService } from '../../support/all-answers.ts';
import { botledger, operate } from '../../support/operate.ts';
import { readModels } from '../../support/read-models.ts';
import type { TestService } from '../../support/service.ts';

/** The rows of a bot, or of the bots of a partition, are built again in place. */
export function describeRebuildPart(
  start: () => Promise<TestService>,
  names: readonly string[] = readModels.map(({ name }) => name),
): void {
  let service: TestService;
  let filled: FilledBots;
  let before: Answers;
  beforeAll(async () => {
    service = await start();
    filled = await fillService(service);
    await service.projected();
    before = await allAnswers(service.address, filled);
  });
  afterAll(() => service.stop());

  const run = (...argv: string[]) => operate(service.env, argv);
  const key = (): string => filled.bot.publicKey;

  interface KeyedTable {
    readonly table: string;
    /** SQL: whether the row `t` is of the bot $1. */
    readonly ofBot: string;
  }

  /** The tables with rows of bots, without derived ones. */
  async function tables({ name, derived = [] }: ReadModel): Promise<KeyedTable[]> {
    const { pool } = service.database;
    const schema = schemaOf(name, 1);
    const { rows } = await pool.query<{ table: string; column: string }>(
      `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
        WHERE table_schema = $1 AND column_name IN ('public_key', 'bot_id') ORDER BY column_name DESC`,
      [schema],
    );
    return (await tablesOf(pool, schema)).flatMap((table) => {
      const column = rows.find((row) => row.table === table)?.column;
      if (column === undefined || derived.includes(table)) return [];
      const id = `(SELECT bot_id FROM catalog_v1.bots WHERE public_key = $1)`;
      return [{ table: `${schema}.${table}`, ofBot: `t.${column} = ${column === 'bot_id' ? id : '$1'}` }];
    });
  }

  /** The rows of the other bots, each with the transaction that wrote it. */
  async function others(model: ReadModel): Promise<string[]> {
    const found: string[] = [];
    for (const { table, ofBot } of await tables(model)) {
      const { rows } = await service.database.pool.query<{ row: string }>(
        `SELECT t.xmin || ' ' || t::text AS row FROM ${table} AS t WHERE NOT (${ofBot})`,
        [key()],
      );
      found.push(...rows.map(({ row }) => `${table} ${row}`));
    }
    return found.sort();
  }

  /** Deletes half of the bot's rows. @returns how many */
  async function damage(model: ReadModel): Promise<number> {
    let count = 0;
    for (const { table, ofBot } of await tables(model)) {
      const { rowCount } = await service.database.pool.query(
        `DELETE FROM ${table} AS t WHERE ${ofBot} AND (hashtext(t::text) & 1 = 0 OR (SELECT count(*) FROM ${table} AS t WHERE ${ofBot}) = 1)`,
        [key()],
      );
      count += rowCount ?? 0;
    }
    return count;
  }

  const models = readModels.filter(({ name, isolatesBots }) => isolatesBots === true && names.includes(name));
  describe.each(models)('$name', (model) => {
    const { name } = model;

    test('has the rows of one bot again, and those of others untouched', async () => {
      expect(await damage(model)).toBeGreaterThan(0);
      expect(await botledger(service.env, ['projection', 'verify', name])).toMatchObject({ code: 1 });
      const untouched = await others(model);
      const row = await run('projection', 'rebuild', name, '--bot', key());
      expect(row).toMatchObject({ name, version: 1, state: 'live', error: null });
      await run('projection', 'verify', name);
      expect(await others(model)).toEqual(untouched);
      expect(await allAnswers(service.address, filled)).toEqual(before);
    });

    test('has the rows of all bots of a partition again', async () => {
      expect(await damage(model)).toBeGreaterThan(0);
      const partition = String(service.log.partitionOf(key()));
      await run('projection', 'rebuild', name, '--partition', partition);
      await run('projection', 'verify', name);
      expect(await allAnswers(service.address, filled)).toEqual(before);
    });
  });

  test('a bot with traffic is built again, and nothing of it is lost or doubled', async () => {
    const busy = await service.createBot();
    let isGoing = true;
    let sent = 0;
    const sending = (async () => {
      while (isGoing) {
        const update = { update_id: ++sent, message: { message_id: sent, date: 1_790_000_000 + sent, text: '/start' } };
        const person = { id: sent, is_bot: false, first_name: 'A' };
        Object.assign(update.message, { chat: { id: sent, type: 'private' }, from: person });
        expect((await service.post('/v1/send-update', { update }, { 'api-key': busy.apiKey })).status).toBe(200);
      }
    })();
    try {
      for (const name of ['users', 'events', 'referral'])
        await run('projection', 'rebuild', name, '--bot', busy.publicKey);
    } finally {
      isGoing = false;
      await sending;
    }
    await service.projected();
    for (const name of ['users', 'events', 'referral']) await run('projection', 'verify', name);
    const { rows } = await service.database.pool.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM users_v1.users JOIN users_v1.bots USING (bot_id) WHERE public_key = $1',
      [busy.publicKey],
    );
    expect(rows).toEqual([{ n: sent }]);
  });

  test('reports over packed events are right at once, though a thread has kept the former ones', async () => {
    const { pool } = service.database;
    const { apiKey, publicKey } = await service.createBot();
    const auth = { 'api-key': apiKey };
    const date = new Date(Date.now() - 3_600_000).toISOString();
    for (let user_id = 1; user_id <= 10; user_id++) {
      const person = { id: user_id, is_bot: false, first_name: 'A' };
      const message = { message_id: user_id, date: Date.parse(date) / 1000 - 1, text: '/start' };
      const update = {
        update_id: user_id,
        message: { ...message, chat: { id: user_id, type: 'private' }, from: person },
      };
      Object.assign(update.message, { date: Math.floor(update.message.date) });
      expect((await service.post('/v1/send-update', { update }, auth)).status).toBe(200);
    }
    for (let sent = 0; sent < CHUNK_EVENTS + NEWEST_EVENTS; sent += 512) {
      const events = Array.from({ length: 512 }, (_, i) => ({
        event: 'buy',
        user_id: 1 + (i % 10),
        value_num: 2,
        date,
      }));
      // 503: the log is busy, and nothing is stored.
      await expect.poll(async () => (await service.post('/v1/send-event', events, auth)).status).toBe(200);
    }
    await service.projected();
    const packed = async () =>
      (
        await pool.query<{ packed: number }>(
          'SELECT packed::int FROM events_v1.timelines JOIN events_v1.bots USING (bot_id) WHERE public_key = $1',
          [publicKey],
        )
      ).rows;
    await expect.poll(packed).toEqual([{ packed: CHUNK_EVENTS }]);
    const report_config = {
      source_request: {
        type: 'trends',
        type_chart: 'table',
        requests: [{ type: 'trend', event_id: null, event_name: 'buy', agr: 'total' }],
      },
      settings: { params: { ':date_from': '2020-01-01 00:00:00', ':date_to': '2040-01-01 00:00:00' } },
    };
    const report = async () => {
      const { status, body } = await service.post('/v1/reports/preview', { report_config }, auth);
      expect(status).toBe(200);
      return body.data.rows;
    };
    const right = await report();
    const ofBot = 'bot_id = (SELECT bot_id FROM events_v1.bots WHERE public_key = $1)';
    await pool.query(`DELETE FROM events_v1.chunks WHERE ${ofBot}`, [publicKey]);
    await pool.query(`UPDATE events_v1.timelines SET packed = 0, packings = packings + 1 WHERE ${ofBot}`, [publicKey]);
    await pool.query(`DELETE FROM events_v1.events WHERE ${ofBot} AND user_id > 3`, [publicKey]);
    expect(await report()).not.toEqual(right);
    await run('projection', 'rebuild', 'events', '--bot', publicKey);
    expect(await report()).toEqual(right);
    await expect.poll(packed).toEqual([{ packed: CHUNK_EVENTS }]);
    expect(await report()).toEqual(right);
    await run('projection', 'verify', 'events');
  });

  test('as of a position it has what was applied up to there', async () => {
    const end = [...(await service.log.endCursor()).values()];
    const built = await run('projection', 'rebuild', 'users', '--until', ...end);
    expect(built).toEqual({ schema: 'users_until', positions: expect.arrayContaining(end) });
    const rowsOf = async (schema: string) =>
      (
        await service.database.pool.query(
          `SELECT bot_id, user_id, user_status, date_create, custom_fields FROM ${schema}.users ORDER BY bot_id, user_id`,
        )
      ).rows;
    await service.projected();
    expect(await rowsOf('users_until')).toEqual(await rowsOf('users_v1'));
    const named = await service.database.pool.query(
      'SELECT FROM users_until.users WHERE num_nonnulls(first_name, last_name, full_name, username) > 0',
    );
    expect(named.rowCount).toBe(0);
    const late = await service.createBot();
    const profile = { user_id: 5, first_name: 'Late' };
    expect((await service.post('/v1/users', [profile], { 'api-key': late.apiKey })).status).toBeLessThan(500);
    await run('projection', 'rebuild', 'users', '--until', ...end);
    const { rows } = await service.database.pool.query('SELECT FROM users_until.bots WHERE public_key = $1', [
      late.publicKey,
    ]);
    expect(rows).toEqual([]);
    for (const name of names) await run('projection', 'rebuild', name, '--until', ...end);
    expect(await run('projection', 'drop', 'users', '--until')).toEqual({ dropped: 'users_until' });
    expect(await botledger(service.env, ['projection', 'drop', 'users', '--until'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no schema users_until'),
    });
  });

  test.each([
    [['catalog', '--bot', 'KEY'], 'catalog has rows that belong to no bot: rebuild all of it'],
    [['users', '--bot', 'nosuch'], 'nosuch'],
    [['users', '--bot', 'KEY', '--partition', '0'], 'say one of --all, --bot, --partition and --until'],
    [['--all', '--bot', 'KEY'], 'say one of --all, --bot, --partition and --until'],
    [['users', '--partition', '99'], 'the log has no partition 99; the last is '],
    [['users', '--until', '0:99'], 'the log has no position 0:99'],
    [['users', '--until', 'yesterday'], 'the log has no position yesterday'],
  ])('rebuild %s is refused', async (argv, message) => {
    const given = ['projection', 'rebuild', ...argv.map((each) => (each === 'KEY' ? key() : each))];
    const { code, err } = await botledger(service.env, given);
    expect([code > 0, err]).toEqual([true, expect.stringContaining(message)]);
  });
}
