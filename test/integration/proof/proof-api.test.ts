import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { createUnit } from '../../../src/commands/catalog/units.ts';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accrue-rewards.ts';
import { item } from '../../support/account-samples.ts';
import { fillAccount, REFERRER } from '../../support/fill-accounts.ts';
import { type ProofService, startProofService } from '../../support/proof-service.ts';
import { type Answer, startTestService, type TestBot } from '../../support/service.ts';
import { ROOT } from '../../support/source-files.ts';

const { verify } = await import(join(ROOT, 'bin/verify.mjs'));

let proofs: ProofService;
let bot: TestBot;
let serviceKey: string;

beforeAll(async () => {
  proofs = await startProofService();
  const { service } = proofs;
  bot = await service.createBot({ kind: 'owner' });
  const key = { ownerId: bot.ownerId, bots: [bot.publicKey], name: null, expiresAt: null };
  serviceKey = (await issueKey(service.commands, { ...key, kind: 'service' })).apiKey;
  const owner = { 'api-key': bot.apiKey };
  await service.post('/v1/send-event', [{ event: 'order', user_id: 7 }], owner);
  await createUnit(service.commands, { bot: bot.publicKey, code: 'GEM', name: 'Gems', scale: 1 });
  await service.projected();
  await fillAccount(service, bot, async (path, body) => (await service.post(`/v1/${path}`, body, owner)).body);
  await service.projected();
  await proofs.signed();
});
afterAll(() => proofs.stop());

const ask = (query: string, apiKey = serviceKey): Promise<Answer> =>
  proofs.service.get(`/v1/referral/proof?${query}`, { 'api-key': apiKey });
const plain = (amounts: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(amounts).map(([name, value]) => [name, value === null ? null : Number(value)]));

it('gives every key of the bot a file that proves the balance', async () => {
  const { status, body, headers } = await ask(`user_id=${REFERRER}`);
  expect(status).toBe(200);
  expect(headers.get('content-disposition')).toBe(`attachment; filename="proof-${REFERRER}.json"`);
  expect(headers.get('cache-control')).toBe('no-store');
  const { balances, until } = await verify(JSON.stringify(body.data));
  const answered = await proofs.service.get(`/v1/referral/balance?user_id=${REFERRER}`, { 'api-key': serviceKey });
  expect(balances.map(plain)).toEqual(expect.arrayContaining(answered.body.data.balance));
  expect(await verify(JSON.stringify(body))).toMatchObject({ until, balances });
});

it('shows the balance of an earlier second', async () => {
  const { body } = await ask(`user_id=${REFERRER}&at=2020-01-01%2000:00:00`);
  expect(body.data.at).toBe(Date.parse('2020-01-01T00:00:00.999Z'));
  expect(await verify(JSON.stringify(body))).toMatchObject({ balances: [], history: [] });
});

it('gives commits of events, which hold other users, only to keys of owners', async () => {
  expect((await ask(`user_id=${REFERRER}`, bot.apiKey)).body.data.causes).toEqual([]);
  const refused = await ask(`user_id=${REFERRER}&with_events=true`);
  expect(refused).toMatchObject({ status: 403, body: { error: expect.stringContaining('owner key') } });
  expect((await ask(`user_id=${REFERRER}&with_events=true`, bot.apiKey)).status).toBe(200);
  expect((await ask(`user_id=${REFERRER}&with_events=perhaps`)).status).toBe(400);
});

it('says why there is no proof', async () => {
  expect(await ask('user_id=12345')).toMatchObject({ status: 404, body: { error: expect.stringContaining('12345') } });
  expect((await ask(`user_id=${REFERRER}&at=yesterday`)).status).toBe(400);
  const { service } = proofs;
  await accrueRewards(createAccounts(service.commands), { bot: bot.publicKey, referrer: 10, items: [item(9)] });
  const young = await ask('user_id=10');
  if (young.status !== 200)
    expect(young).toMatchObject({ status: 503, body: { error: expect.stringContaining('younger') } });
  await proofs.signed();
  expect((await ask('user_id=10')).status).toBe(200);
});

it('says that the service keeps no proofs', async () => {
  const service = await startTestService();
  try {
    const { apiKey } = await service.createBot();
    const answer = await service.get('/v1/referral/proof?user_id=1', { 'api-key': apiKey });
    expect(answer).toMatchObject({ status: 404, body: { error: expect.stringContaining('PROOF=on') } });
    const headers = { 'api-key': apiKey, receipt: 'signed' };
    const refused = await service.post('/v1/send-event', { event: 'order', user_id: 1 }, headers);
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('PROOF=on') } });
  } finally {
    await service.stop();
  }
});
