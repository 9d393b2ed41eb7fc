import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillService } from '../../support/all-answers.ts';
import { type ExportedRow, readExport } from '../../support/read-export.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Compares exports with the answers of the API about the same things. */
let service: TestService;
let bot: TestBot;

beforeAll(async () => {
  service = await startTestService();
  bot = (await fillService(service)).bot;
});
afterAll(() => service.stop());

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function data(path: string): Promise<any> {
  const { status, body } = await service.get(`/v1/${path}`, { 'api-key': bot.apiKey });
  expect({ path, status }).toEqual({ path, status: 200 });
  return body.data;
}

async function exported(kind: string, more = ''): Promise<ExportedRow[]> {
  const answer = await fetch(`${service.address}/v1/export/${kind}?format=csv${more}`, {
    headers: { 'api-key': bot.apiKey },
  });
  expect(answer.status).toBe(200);
  return readExport('csv', Buffer.from(await answer.arrayBuffer()));
}

const text = (value: unknown): string | null => (value === null || value === undefined ? null : String(value));
/** The date of an answer, to the second. */
const seconds = (date: string | null | undefined): string | null => date?.slice(0, 19).replace('T', ' ') ?? null;

describe('an export', () => {
  it('of accruals has the entries of every account, also reversed ones', async () => {
    const expected: ExportedRow[] = [];
    for (let user_id = 1; user_id <= 20; user_id++)
      for (const entry of (await data(`referral/entries?user_id=${user_id}&limit=200`)).entries)
        expected.push({ user_id: String(user_id), ...entry });
    const rows = await exported('accruals');
    const shown = (row: Readonly<Record<string, unknown>>) => [
      ...[
        'accrual_id',
        'user_id',
        'position',
        'referral_id',
        'rule_id',
        'rule_name',
        'amount',
        'unit_id',
        'payout_id',
      ].map((name) => text(row[name])),
      ...['compensates', 'compensated_by', 'reason'].map((name) => text(row[name])),
      ...['date', 'recorded_at', 'available_at', 'reversed_at'].map((name) => seconds(row[name] as string | null)),
    ];
    expect(rows.map(shown).sort()).toEqual(expected.map(shown).sort());
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.some(({ compensates }) => compensates !== null)).toBe(true);
    expect(rows.some(({ payout_id }) => payout_id !== null)).toBe(true);
    expect(rows.map(({ unit }) => unit).filter((unit) => unit !== null).length).toBeGreaterThan(0);
  });

  it('of recipients has those of every broadcast of the bot, with the states that the API shows', async () => {
    const { pool } = service.database;
    const { rows } = await pool.query('SELECT bot_id FROM users_v1.bots WHERE public_key = $1', [bot.publicKey]);
    const of = [rows[0]!.bot_id];
    await pool.query(
      `INSERT INTO recipients_v1.sendings
         (broadcast_id, bot_id, status, launch, count_recipients, count_delivered, count_not_delivered, count_unknown, cancelled, cancelled_at)
       VALUES (901, $1, 2, 1, 4, 1, 2, 1, false, NULL), (902, $1, 4, 1, 2, 0, 0, 0, true, 2000), (903, $1 + 1000, 2, 1, 1, 0, 0, 0, false, NULL)`,
      of,
    );
    await pool.query(
      `INSERT INTO recipients_v1.recipients (broadcast_id, bot_id, chat_id, date, place, state, reason)
       VALUES (901, $1, 11, 1000, 0, 2, NULL), (901, $1, 12, 1001, 1, 3, 'blocked'), (901, $1, 13, 1002, 2, 4, 'reset'), (901, $1, 14, NULL, 3, 0, NULL),
              (902, $1, 11, NULL, 0, 0, NULL), (902, $1, 15, NULL, 1, 0, NULL), (903, $1 + 1000, 11, NULL, 0, 0, NULL)`,
      of,
    );
    await pool.query('INSERT INTO users_v1.erased_users VALUES ($1, 15)', of);
    const ofBroadcasts = (await exported('recipients')).filter(({ broadcast_id }) => Number(broadcast_id) > 900);
    expect(ofBroadcasts.map((row) => Object.values(row).join())).toEqual([
      '901,11,delivered,,1970-01-01T00:00:01.000Z',
      '901,12,not_delivered,blocked,1970-01-01T00:00:01.001Z',
      '901,13,unknown,reset,1970-01-01T00:00:01.002Z',
      '901,14,pending,,',
      '902,11,cancelled,,1970-01-01T00:00:02.000Z',
    ]);
    const dated = await exported('recipients', '&to=1970-01-01T00:00:01.001Z');
    expect(dated.map(({ chat_id }) => chat_id)).toEqual(['11', '12']);
  });

  it('of users has their visits, referrers and codes', async () => {
    const rows = await exported('users');
    const { items } = await data('reports/resources');
    expect(items).toHaveLength(1);
    expect(rows.find(({ user_id }) => user_id === '1')).toMatchObject({
      utm_source: 'ads1',
      start_param: 'utmsource-ads1',
    });
    expect(rows.find(({ user_id }) => user_id === '7')).toBeUndefined();
    expect(rows.find(({ user_id }) => user_id === '6')).toMatchObject({
      referrer_id: '1',
      referral_code: expect.stringMatching(/^\w{8}$/),
    });
  });
});
