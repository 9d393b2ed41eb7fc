import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Administer, administer } from '../../support/administer.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

let service: TestService;
let bot: TestBot;
let folder: string;
let run: Administer;

beforeAll(async () => {
  service = await startTestService();
  run = administer({ DATABASE_URL: service.database.url });
  bot = await service.createBot();
  folder = await mkdtemp(join(tmpdir(), 'botledger-'));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

async function importFile(text: string): Promise<object> {
  const path = join(folder, 'given.csv');
  await writeFile(path, text);
  return run('import', 'referrals', '--bot', bot.publicKey, path);
}

/** The list in an answer of the referral program. */
async function list(name: 'balance' | 'accruals', userId: number): Promise<object[]> {
  const { status, body } = await service.get(`/v1/referral/${name}?user_id=${userId}`, { 'api-key': bot.apiKey });
  expect(status).toBe(200);
  return body.data[name];
}

it('makes referrals, and accruals of the opening balances that history explains, once', async () => {
  const file = [
    'user_id,referrer_id,date,balance,unit',
    '11,1,2024-01-02T03:04:05Z,12.50,USD',
    '12,1,,0.5,USD',
    '13,2,,,',
    '14,14,,,',
    '15,2,,1.234,USD',
    '16,2,,1,NOPE',
    '',
  ].join('\n');
  expect(await importFile(file)).toEqual({ imported: 3, imported_before: 0, refused: 3, balances: 2 });
  expect(await importFile(file)).toEqual({ imported: 0, imported_before: 3, refused: 3, balances: 0 });
  await expect.poll(() => list('balance', 1)).toMatchObject([{ available: 13 }]);
  const accruals = await list('accruals', 1);
  expect(accruals).toMatchObject([
    { referral_id: 12, amount: 0.5 },
    { referral_id: 11, amount: 12.5 },
  ]);
  const findings = await run('audit', 'balance', '--bot', bot.publicKey, '--user', '1');
  expect(findings).toHaveLength(2);
  const rules = await run('rule', 'list', '--bot', bot.publicKey);
  expect(rules).toMatchObject([{ name: 'imported', active: false }]);
});

it('gives no balance to another referrer than the user has', async () => {
  const mark = { referral_user_id: 21, referrer_user_id: 3 };
  expect((await service.post('/v1/referral/mark-referral', mark, { 'api-key': bot.apiKey })).status).toBe(200);
  const file = 'user_id,referrer_id,balance,unit\n21,4,5,USD\n22,4,7,USD\n';
  expect(await importFile(file)).toEqual({ imported: 2, imported_before: 0, refused: 1, balances: 1 });
  await expect.poll(() => list('balance', 4)).toMatchObject([{ available: 7 }]);
  expect(await list('balance', 3)).toEqual([]);
});
