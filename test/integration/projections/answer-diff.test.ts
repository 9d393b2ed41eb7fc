import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pinnedReader } from '../../../src/administration/diff/pinned-reader.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import { MANIFESTS } from '../../../src/projections/registry.ts';
import { allVersions, type Version } from '../../../src/projections/runtime/versions.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { reportRunner } from '../../../src/queries/reports/run-report.ts';
import { type FilledBots, fillService } from '../../support/all-answers.ts';
import { REFERRER } from '../../support/fill-accounts.ts';
import { botledger, operate } from '../../support/operate.ts';
import { readModels } from '../../support/read-models.ts';
import { sampleReports } from '../../support/sample-reports.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** The answers of two versions of a read model (decisions.md#diff-answers). */

const MODELS = ['accounts', 'events', 'users', 'referral', 'broadcasts', 'recipients'];
/** An account that no test changes. */
const OTHER = REFERRER + 1000;
const reports = sampleReports();

let service: TestService;
let filled: FilledBots;
/** Uuid of a saved report by category. */
let byCategory: string;

beforeAll(async () => {
  service = await startTestService();
  filled = await fillService(service);
  const headers = { 'api-key': filled.bot.apiKey };
  const ask = (path: string, name: string, more: object = {}) =>
    service.post(`/v1/reports/${path}`, { report_config: reports[name], ...more }, headers);
  byCategory = (await ask('save', 'breakdown', { name: 'By category' })).body.data.uuid;
  for (const name of ['breakdown', 'funnel', 'retention', 'amounts']) await ask('preview', name);
  await ask('run', 'breakdown');
  await service.post('/v1/reports/preview', { report_config: {} }, headers);
  // A stop writes what was asked.
  await service.restart();
  await service.projected();
  for (const name of MODELS) await operate(service.env, ['projection', 'rebuild', name]);
  for (const schema of ['accounts_v1', 'accounts_v2'])
    for (const [table, columns] of [
      ['accounts', 'revision, clock'],
      ['balances', 'unit, accrued, reserved, paid'],
    ])
      await query(`INSERT INTO ${schema}.${table} (public_key, user_id, ${columns})
                   SELECT public_key, ${OTHER}, ${columns} FROM ${schema}.${table} WHERE user_id = ${REFERRER}`);
});
afterAll(() => service.stop());

async function query(text: string): Promise<void> {
  await service.database.pool.query(text);
}

/** The difference as `--json` writes it, with the answers by kind, and the exit code. */
async function diff(name: string, options: readonly string[] = []) {
  const { code, out, err } = await botledger(service.env, ['projection', 'diff', name, ...options]);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers
  const found = (out === '' ? null : JSON.parse(out)) as any;
  const answers = (found?.answers ?? []).map(({ kind, ...rest }: { kind: string }) => [kind, rest]);
  return { code, err, found, answers: Object.fromEntries(answers) };
}

const SAME = { differing: 0, samples: [], slower: [] };

describe('the answers of two versions', () => {
  it('are equal after a rebuild, of every kind that the read model is used for', async () => {
    const ofReports = { saved_reports: { compared: 3, ...SAME }, asked_reports: { compared: 4, ...SAME } };
    const ofBroadcasts = { broadcasts: { compared: 4, ...SAME } };
    const expected: Readonly<Record<string, object>> = {
      accounts: { balances: { compared: 2, ...SAME } },
      ...{ events: ofReports, users: ofReports, referral: ofReports },
      ...{ broadcasts: ofBroadcasts, recipients: ofBroadcasts },
    };
    for (const name of MODELS) {
      const { code, found, answers, err } = await diff(name);
      expect(answers, name).toEqual(expected[name]);
      expect(found).toMatchObject({ equal: true, answers_left_out: [] });
      for (const kind of Object.keys(answers)) expect(err).toContain(`${kind.replace('_', ' ')}: 0 differ`);
      expect(code).toBe(0);
    }
  });

  it('name the one saved report and the one asked report that differ, with before and after', async () => {
    await query(`UPDATE events_v2.events SET category = 'caps' WHERE category = 'hats'`);
    const { code, found, answers, err } = await diff('events');
    expect(code).toBe(1);
    expect(found.equal).toBe(false);
    const { publicKey: bot } = filled.bot;
    const changed = {
      before: { rows: [expect.objectContaining({ 'events.category': 'hats' })] },
      after: { rows: [expect.objectContaining({ 'events.category': 'caps' })] },
    };
    expect(answers.saved_reports).toEqual({
      ...{ compared: 3, differing: 1, slower: [] },
      samples: [{ question: { bot, uuid: byCategory, name: 'By category' }, ...changed }],
    });
    const [asked] = answers.asked_reports.samples;
    expect(answers.asked_reports).toMatchObject({ compared: 4, differing: 1, samples: [changed] });
    expect(asked.question).toMatchObject({ bot, kind: 'trends', asked: 2 });
    expect(JSON.parse(asked.question.report_config)).toEqual(reports['breakdown']);
    expect(err).toContain('compared 3 saved reports: 1 differs');
  });

  it('are equal, or not compared, while events arrive', async () => {
    await query(`UPDATE events_v2.events SET category = 'hats' WHERE category = 'caps'`);
    let isOver = false;
    const send = async (): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const event = { event: 'viewed', user_id: 1 + (n % 3), category: `c${n % 7}`, date: '2026-03-02T13:00:00Z' };
        expect((await service.post('/v1/send-event', event, { 'api-key': filled.bot.apiKey })).status).toBe(200);
      }
    };
    const sending = send();
    try {
      for (let round = 0; round < 5; round++) {
        const { code, found, err } = await diff('events', ['--wait', '5']);
        if (found === null) expect(err).toContain('cannot be compared: for 5 s');
        else expect(found).toMatchObject({ equal: true, answers_left_out: [] });
        expect(code).toBe(found === null ? 1 : 0);
      }
    } finally {
      isOver = true;
      await sending;
    }
    await service.projected();
  });

  it('name the one account whose balance differs', async () => {
    const { publicKey: bot } = filled.bot;
    await query(`UPDATE accounts_v2.balances SET paid = paid + 1 WHERE user_id = ${REFERRER} AND unit = 1`);
    const { code, answers } = await diff('accounts');
    expect(answers.balances).toMatchObject({
      ...{ compared: 2, differing: 1 },
      samples: [{ question: { bot, user: REFERRER }, before: [{ unit_id: 1 }], after: [{ unit_id: 1 }] }],
    });
    const [{ before, after }] = answers.balances.samples;
    expect(Number(after[0].paid) - Number(before[0].paid)).toBe(1);
    expect(Number(after[0].available) - Number(before[0].available)).toBe(-1);
    expect(code).toBe(1);
  });

  it('name an account that only one version has', async () => {
    await query(`DELETE FROM accounts_v2.accounts WHERE user_id = ${OTHER}`);
    const { answers } = await diff('accounts');
    const [, gone] = answers.balances.samples;
    expect(gone).toMatchObject({ question: { user: OTHER }, before: [{ unit_id: 1 }, { unit_id: 2 }], after: [] });
  });

  it('name the one broadcast whose counts differ', async () => {
    const { bot, failed } = filled;
    await query(
      `UPDATE recipients_v2.sendings SET count_delivered = count_delivered + 2 WHERE broadcast_id = ${failed}`,
    );
    const { code, answers } = await diff('recipients');
    expect(answers.broadcasts).toMatchObject({
      ...{ compared: 4, differing: 1 },
      samples: [
        {
          question: { bot: bot.publicKey, id: failed },
          before: { count_delivered: 0, statistics: { count_delivered: 0 } },
          after: { count_delivered: 2, statistics: { count_delivered: 2 } },
        },
      ],
    });
    expect(code).toBe(1);
    expect((await diff('broadcasts')).answers.broadcasts).toMatchObject({ differing: 0 });
  });

  it('leave out bots that a version is late for', async () => {
    const { publicKey: bot } = filled.bot;
    await service.restart(async () => {
      await query(
        `INSERT INTO runtime.quarantines (name, version, key, lane, position) VALUES ('accounts', 2, '${bot}', 0, '')`,
      );
      const { found, answers } = await diff('accounts');
      await query('DELETE FROM runtime.quarantines');
      expect(answers.balances.compared).toBe(0);
      expect(found.answers_left_out).toEqual([`bot ${bot} is quarantined in one of the versions`]);
    });
  });

  it('are not compared with --no-answers, nor if this release does not answer from the shape', async () => {
    expect((await diff('accounts', ['--no-answers'])).answers).toEqual({});
    const changed = readModels.map((model) => (model.name === 'users' ? { ...model, shape: model.shape + 1 } : model));
    await operate(service.env, ['projection', 'rebuild', 'users'], changed);
    const { out } = await botledger(service.env, ['projection', 'diff', 'users', '--from', '1', '--to', '3'], changed);
    const { shape } = readModels.find(({ name }) => name === 'users')!;
    const reason = `version 1 of users has shape ${shape}: this release does not answer from it`;
    expect(JSON.parse(out)).toMatchObject({ answers: [], answers_left_out: [reason] });
  });

  it('come from one snapshot, whatever both versions apply while reports run', async () => {
    const { pool } = service.database;
    const model = MANIFESTS.find(({ name }) => name === 'events')!;
    const versions = (await allVersions(pool)).filter(({ name }) => name === 'events');
    const [from, to] = versions as [Version, Version];
    const parsed = parseReport(reports['totals'], 'UTC');
    if (!parsed.ok) throw new Error('the report is wrong');
    const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
    const { bot } = filled;
    await inTransaction(
      pool,
      async (tx) => {
        const reader = await pinnedReader(tx, MANIFESTS, model, { from, to });
        const event = { event: 'viewed', user_id: 3, date: '2026-03-02T12:00:00Z' };
        await service.post('/v1/send-event', event, { 'api-key': bot.apiKey });
        await service.projected();
        const tables = (await reader.at('events', 'users', 'referral')).before;
        const rows = await pool.query(`SELECT bot_id FROM ${tables.events}.bots WHERE public_key = $1`, [
          bot.publicKey,
        ]);
        const request = { tables, parsed, limit: 9, lagMs: 0, timeoutMs: 60_000, now: Date.now() };
        const count = async (settings?: string) => {
          const run = reportRunner(pool, createChunkCache(2 ** 20), settings);
          const answer = await run({ ...request, botId: rows.rows[0].bot_id });
          return Number(Object.values(answer.rows[0]!).at(-1));
        };
        expect((await count()) - (await count(reader.settings))).toBe(1);
      },
      begin,
    );
  });
});
