import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../../demo/client.ts';
import { history } from '../../../demo/history.ts';
import { loadDemo } from '../../../demo/load.ts';
import { waitUntilCounted } from '../../../demo/wait-until-counted.ts';
import { createDemo } from '../../../src/commands/catalog/create-demo.ts';
import { type Block, blocksOf, isRun, runBlocks } from '../../support/pages.ts';
import { type Answer, startTestService, type TestService } from '../../support/service.ts';
import { ROOT } from '../../support/source-files.ts';

/** The demo's history in a real service. A shell runs the commands of docs/cookbook.md on it. */

const DEMO = { seed: 1, size: 4000, now: Date.now() };
const sent = history(DEMO.seed, DEMO.size, DEMO.now);
let service: TestService;
let apiKey: string;
let folder: string;

beforeAll(async () => {
  service = await startTestService();
  apiKey = (await createDemo(service.commands, { kept: null, keep: async () => {} }))!.apiKey;
  folder = await mkdtemp(join(tmpdir(), 'botledger-demo-'));
  await mkdir(join(folder, '.data'));
  await writeFile(join(folder, '.data/demo.key'), `${apiKey}\n`);
  await service.projected();
  await loadDemo(createClient(service.address, apiKey), DEMO, () => {});
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const get = async (path: string): Promise<Answer['body']> => (await service.get(path, { 'api-key': apiKey })).body.data;

async function counts(): Promise<Record<string, number>> {
  const { items } = await get('/v1/reports/events');
  return Object.fromEntries(items.map(({ name, count }: { name: string; count: number }) => [name, count]));
}

it('waits until reports have counted all that was sent, at most for its time limit', async () => {
  let asked = 0;
  const behind = (lags: (asked: number) => number) => {
    asked = 0;
    const post = async () => ({ ok: true as const, data: { meta: { lag_ms: lags(++asked) } } });
    return { post, get: post };
  };
  await waitUntilCounted(behind((times) => (times < 3 ? 3_600_000 : 0)));
  expect(asked).toBe(3);
  // Other clients keep sending: reports always lag a little, but less than the time since the call.
  await waitUntilCounted(behind(() => 150));
  expect(asked).toBe(2);
  await expect(
    waitUntilCounted(
      behind(() => 3_600_000),
      0,
    ),
  ).rejects.toThrow('projection list');
});

/** The number of items in the history, by the event name that they are sent with. */
function expected(): Record<string, number> {
  const names = sent.items.flatMap(({ method, body }) => {
    if (method === 'send-target') return ['Sale'];
    if (method === 'send-event') return [(body as { event: string }).event];
    const text = JSON.stringify(body);
    return ['callback_query', 'successful_payment', '"text":"/start', 'kicked"}}'].filter((part) =>
      text.includes(part),
    );
  });
  return Object.fromEntries([...new Set(names)].map((name) => [name, names.filter((each) => each === name).length]));
}

it('counts every item of the history, without a bot error', async () => {
  const { callback_query, successful_payment, '"text":"/start': start, 'kicked"}}': block, ...named } = expected();
  expect(Object.keys(named)).toHaveLength(8);
  expect(await counts()).toMatchObject({
    ...named,
    callback: callback_query,
    payment: successful_payment,
    start,
    block,
  });
  expect((await get('/v1/bot-errors')).items).toEqual([]);
  const { items } = await get('/v1/broadcast/list');
  expect(items).toHaveLength(1);
  const { referrals } = await get('/v1/referral/referrals?user_id=700000001');
  expect(referrals.length).toBeGreaterThan(0);
});

it('lets referrers earn, and shows a payout that waits, one that failed and a reward that was taken back', async () => {
  const { referrers } = await get('/v1/referral/referrers');
  const [first, second, third] = referrers;
  // More may have been earned since the payout.
  expect(first.balance[0]).toMatchObject({ reserved: expect.toSatisfy((amount) => amount > 0) });
  await expect
    .poll(async () => (await get('/v1/referral/all-payouts')).payouts)
    .toMatchObject([
      { user_id: second.user_id, status: 3, error: expect.any(String) },
      { user_id: first.user_id, status: 0, method: 'manual' },
    ]);
  const { entries } = await get(`/v1/referral/entries?user_id=${third.user_id}`);
  expect(entries).toContainEqual(
    expect.objectContaining({ reason: 'The order was returned', reversed_at: expect.any(String) }),
  );
});

it('has the same history for the same seed and moment, and a larger history contains a smaller one', () => {
  expect(history(DEMO.seed, DEMO.size, DEMO.now)).toEqual(sent);
  const all = new Set(sent.items.map((item) => JSON.stringify(item)));
  expect(history(DEMO.seed, 500, DEMO.now).items.filter((item) => !all.has(JSON.stringify(item)))).toEqual([]);
  expect(history(2, 500, DEMO.now).items).not.toEqual(history(1, 500, DEMO.now).items);
});

it('counts nothing twice when the command runs again', async () => {
  const before = await counts();
  const run = (DATA_DIR: string) =>
    promisify(execFile)(process.execPath, ['--import', 'tsx', 'demo/main.ts', '--events', '300'], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], DATA_DIR, BASE_URL: service.address },
    });
  const { stdout } = await run(join(folder, '.data'));
  expect(stdout).toMatch(/^sent \d+ of \d+\n[\s\S]*The demo bot has \d+ users/);
  await service.projected();
  const after = await counts();
  // Items between the two moments may have been added.
  const since = history(DEMO.seed, 300, Date.now()).items.filter(({ at }) => at >= DEMO.now).length;
  const sum = (all: Record<string, number>) => Object.values(all).reduce((a, b) => a + b, 0);
  expect(sum(after) - sum(before)).toBeLessThanOrEqual(since);
  expect((await get('/v1/broadcast/list')).items).toHaveLength(1);

  const failed = await run(join(folder, 'none')).catch((error: unknown) => error as { stderr: string; code: number });
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^\S+demo\.key cannot be read .*\n$/) });
});

// biome-ignore lint/suspicious/noExplicitAny: answers of all shapes
type Rows = readonly any[];
const total = (rows: Rows, key: string): number => rows.reduce((sum: number, row) => sum + (row[key] ?? 0), 0);

it('every report of the cookbook has rows', async () => {
  const blocks = blocksOf('docs/cookbook.md').filter(isRun);
  // The recipe of an export answers with a file, so it runs last.
  const isExport = ({ heading }: Block): boolean => heading === 'Export';
  const scripts = [...blocks.filter((block) => !isExport(block)), ...blocks.filter(isExport)].map(({ text }) =>
    text.replaceAll('http://127.0.0.1:3000', service.address),
  );
  const answers = (await runBlocks(scripts, {}, folder)).flat();
  const [header, first] = answers.splice(-2);
  expect(header).toMatch(/^id,date,date_received,user_id,/);
  expect(first).toMatch(/^[0-9a-f-]{36}\.\d+,20/);
  const isCsv = (answer: string): boolean => answer.startsWith('Date,');
  const csv = answers.find(isCsv)!.split('\n');
  expect(csv[0]).toMatch(/^Date,Orders/);
  expect(csv.slice(1).join('')).toMatch(/^\d{4}-\d\d-\d\dT00:00:00\+00:00,\d+\r?$/);

  const data = answers.filter((answer) => answer !== '' && !isCsv(answer)).map((answer) => JSON.parse(answer).data);
  const ofBroadcast = data.filter((each) => 'variants' in each);
  expect(ofBroadcast).toMatchObject([
    { total: { delivered: 0, rate: null }, variants: [{ name: 'discount' }, { name: 'gift' }] },
    { total: { count_delivered: 0 }, variants: [{ name: 'discount' }, { name: 'gift' }] },
  ]);
  const answered = data.filter((each) => 'rows' in each) as { rows: Rows; columns: Rows }[];
  for (const { rows } of answered) expect(rows.length).toBeGreaterThan(0);
  const [line, table, sums, revenue, filtered, separated, byProperty, utmTrends, utmTable, list, ...walks] = answered;
  const [ordered, strict, unordered, firstTime, everByPremium, recurring, bySavedSegment, ...more] = walks;
  expect(more).toEqual([]);
  expect(bySavedSegment!.columns.map(({ key }) => key)).toContain('user.saved_segments.1');

  const { order_paid, cart_filled, item_viewed, ...named } = expected();
  expect(line!.rows).toHaveLength(60);
  expect(line!.columns[1].total).toBe(sent.users);
  expect(table!.rows[0]).toMatchObject({ label: 'Orders', value: order_paid });
  const cents = sent.items.reduce((sum, { body }) => {
    const { event, value_num } = body as { event?: string; value_num?: number };
    return sum + (event === 'order_paid' ? value_num! : 0);
  }, 0);
  expect(total(sums!.rows, 's0')).toBeCloseTo(cents / 100, 6);
  expect(total(revenue!.rows, 's0')).toBeGreaterThan(0);
  expect(filtered!.rows[0].value).toBeGreaterThan(0);
  expect(filtered!.rows[0].value).toBeLessThan(cart_filled!);
  expect(total(separated!.rows, 'value')).toBe(item_viewed);
  expect(byProperty!.columns.slice(1).map(({ breakdown }) => breakdown)).toEqual(
    expect.arrayContaining([{ 'events.properties.delivery': 'letter' }, { 'events.properties.delivery': 'parcel' }]),
  );
  for (const { total } of byProperty!.columns.slice(1)) expect(Math.abs(total - 2)).toBeLessThan(1);
  expect(utmTrends!.columns.length).toBeGreaterThan(3);
  expect(utmTable!.rows.map(({ utm_campaign }) => utm_campaign)).toContain('spring');
  expect(total(utmTable!.rows, 'm0')).toBe(named['"text":"/start']);
  expect(list!.rows).toHaveLength(10);
  expect(list!.rows[0]['events.value_amount']).toBeGreaterThanOrEqual(list!.rows[9]['events.value_amount']);
  for (const funnel of [ordered!, strict!, unordered!]) expect(total(funnel.rows, 'users')).toBeGreaterThan(0);
  const users = [1, 2, 3].map((step) =>
    total(
      ordered!.rows.filter((row) => row.step === step),
      'users',
    ),
  );
  expect(users[0]).toBeGreaterThan(users[1]!);
  expect(users[1]).toBeGreaterThan(users[2]!);
  expect(total(firstTime!.rows, 'size')).toBe(sent.users);
  expect(total(firstTime!.rows, 'users_1')).toBeGreaterThan(total(firstTime!.rows, 'users_7'));
  expect(total(everByPremium!.rows, 'size')).toBe(sent.users);
  expect(total(recurring!.rows, 'users_1')).toBeLessThan(total(recurring!.rows, 'users_0'));
});
