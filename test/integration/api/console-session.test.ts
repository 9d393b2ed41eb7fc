import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issueKey, revokeKey } from '../../../src/commands/catalog/keys.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';
import { ROOT } from '../../support/source-files.ts';

let service: TestService;
let bot: TestBot;

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot();
});
afterAll(() => service.stop());

const OWN = { 'sec-fetch-site': 'same-origin' };

const logIn = (key: string, headers: Record<string, string> = OWN): Promise<Answer> =>
  service.post('/console/session', { key }, headers);

/** `name=value` of the cookie that an answer sets. */
const cookieOf = ({ headers }: Answer): string => headers.get('set-cookie')!.split(';', 1)[0]!;

it('a personal key logs in to a session that is hidden from scripts and other sites', async () => {
  const answer = await logIn(bot.apiKey);
  expect(answer).toMatchObject({ status: 200, body: { ok: true, data: { plan: 'premium', currency: 'USD' } } });
  expect(answer.body.data.bots).toEqual([expect.objectContaining({ resource_key: bot.publicKey })]);
  const cookie = answer.headers.get('set-cookie')!;
  expect(cookie).toMatch(/^__Host-botledger=[\w-]{43};/);
  for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Strict', 'Path=/', 'Max-Age=43200'])
    expect(cookie).toContain(attribute);
  const { rows } = await service.database.pool.query('SELECT * FROM runtime.sessions');
  expect(JSON.stringify(rows)).not.toContain(cookieOf(answer).split('=')[1]);
});

it('a session reads and changes what its key may', async () => {
  const cookie = cookieOf(await logIn(bot.apiKey));
  expect((await service.get('/v1/reports/events', { cookie })).status).toBe(200);
  expect((await service.post('/v1/send-event', { event: 'x', user_id: 1 }, { cookie, ...OWN })).status).toBe(200);
  expect((await service.get('/console/session', { cookie })).body.data.bots).toHaveLength(1);
});

it('an API key takes precedence over the cookie', async () => {
  const cookie = cookieOf(await logIn(bot.apiKey));
  for (const headers of [{ 'api-key': 'wrong:key' }, { authorization: 'Bearer wrong:key' }])
    expect((await service.get('/v1/reports/events', { cookie, ...headers } as Record<string, string>)).status).toBe(
      401,
    );
  const inBody = { event: 'x', user_id: 1, 'api-key': 'wrong:key' };
  expect((await service.post('/v1/send-event', inBody, { cookie, ...OWN })).status).toBe(401);
});

it.each([
  ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }],
  ['Sec-Fetch-Site: none', { 'sec-fetch-site': 'none' }],
  ['the Origin of another site', { origin: 'https://evil.example' }],
  ['an Origin that is none', { origin: 'null' }],
  ['neither', {}],
])('refuses a change by cookie with %s', async (_, headers) => {
  const cookie = cookieOf(await logIn(bot.apiKey));
  const change = { event: 'x', user_id: 1 };
  const answer = await service.post('/v1/send-event', change, { cookie, ...headers } as Record<string, string>);
  expect(answer).toMatchObject({ status: 403, body: { ok: false, error_code: 403 } });
  expect((await logIn(bot.apiKey, headers as Record<string, string>)).status).toBe(403);
});

it.each([
  ['cross-site', 403],
  ['same-site', 403],
  ['same-origin', 200],
  ['none', 200],
])('a read by cookie with Sec-Fetch-Site: %s answers %d: some reads change something', async (site, status) => {
  const cookie = cookieOf(await logIn(bot.apiKey));
  const answer = await service.get('/v1/referral/create-code?user_id=7', { cookie, 'sec-fetch-site': site });
  expect(answer.status).toBe(status);
});

it('takes a change by cookie with our own Origin where the browser sends no Sec-Fetch-Site', async () => {
  const cookie = cookieOf(await logIn(bot.apiKey));
  const origin = service.address;
  expect((await service.post('/v1/send-event', { event: 'x', user_id: 1 }, { cookie, origin })).status).toBe(200);
});

it('a log-out ends the session at once, and a log-in the session before', async () => {
  const first = cookieOf(await logIn(bot.apiKey));
  const second = cookieOf(await logIn(bot.apiKey, { ...OWN, cookie: first }));
  expect(second).not.toBe(first);
  expect((await service.get('/console/session', { cookie: first })).status).toBe(401);
  const out = await fetch(`${service.address}/console/session`, {
    method: 'DELETE',
    headers: { ...OWN, cookie: second },
  });
  expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
  // The browser forgets the answers that it keeps. Cookies of other programs of the domain are not ours to clear.
  expect(out.headers.get('clear-site-data')).toBe('"cache", "storage"');
  expect((await service.get('/console/session', { cookie: second })).status).toBe(401);
});

it("a session is not to be had another owner's bot with, by any route", async () => {
  const other = await service.createBot();
  // An owner key has access to every route.
  const cookie = cookieOf(await logIn((await service.createBot({ kind: 'owner' })).apiKey));
  const openapi = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as { paths: Record<string, object> };
  const routes = Object.entries(openapi.paths)
    // The platform's webhook has a separate secret.
    .filter(([path]) => path.startsWith('/v1/') && !path.startsWith('/v1/webhook/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })));
  const answers = await Promise.all(
    routes.map(async ({ path, method }) => {
      const { status } = await fetch(service.address + path, {
        method,
        headers: { ...OWN, cookie, 'content-type': 'application/json', 'resource-key': other.publicKey },
        ...(method === 'GET' ? {} : { body: '{}' }),
      });
      return `${method} ${path}: ${status}`;
    }),
  );
  expect(routes.length).toBeGreaterThan(50);
  expect(answers.filter((each) => !/ (403|404)$/.test(each))).toEqual([]);
});

it('a session ends with its key, within 2 s', async () => {
  const other = await service.createBot();
  const cookie = cookieOf(await logIn(other.apiKey));
  const { rows } = await service.database.pool.query(
    'SELECT k.key_id::int FROM catalog_v1.keys k WHERE k.public_part = $1',
    [other.apiKey.split(':')[0]],
  );
  await revokeKey(service.commands, { ownerId: other.ownerId, keyId: rows[0].key_id });
  await expect.poll(async () => (await service.get('/console/session', { cookie })).status).toBe(401);
  expect((await service.get('/v1/reports/events', { cookie })).status).toBe(401);
});

it('a session ends when its key expires', async () => {
  const other = await service.createBot();
  const until = (expiresAt: number) =>
    ({ ownerId: other.ownerId, bots: 'all', kind: 'personal', name: null, expiresAt }) as const;
  // A key that lives long enough to log in, on a machine however slow.
  const expired = async (lifeMs: number): Promise<string> => {
    const end = Date.now() + lifeMs;
    const { apiKey } = await issueKey(service.commands, until(end));
    await service.projected();
    const answer = await logIn(apiKey);
    if (answer.status !== 200) return expired(2 * lifeMs);
    const cookie = cookieOf(answer);
    await expect.poll(() => Date.now(), { timeout: 2 * lifeMs }).toBeGreaterThan(end);
    return cookie;
  };
  const cookie = await expired(1000);
  await expect.poll(async () => (await service.get('/console/session', { cookie })).status).toBe(401);
  expect((await service.get('/v1/reports/events', { cookie })).status).toBe(401);
});

it.each([
  ['12 h after log-in', 'begun_at = begun_at - 43201000, used_at = used_at - 1000'],
  ['once the clock was set back by an hour', 'begun_at = begun_at + 3600000, used_at = used_at + 3600000'],
  ['2 h after the last request', 'used_at = used_at - 7201000'],
])('a session is over %s', async (_, change) => {
  const cookie = cookieOf(await logIn(bot.apiKey));
  expect((await service.get('/console/session', { cookie })).status).toBe(200);
  await service.database.pool.query(`UPDATE runtime.sessions SET ${change}`);
  expect((await service.get('/console/session', { cookie })).status).toBe(401);
  expect((await service.get('/v1/reports/events', { cookie })).status).toBe(401);
});

it('a request keeps a session alive', async () => {
  const cookie = cookieOf(await logIn(bot.apiKey));
  await service.database.pool.query('UPDATE runtime.sessions SET used_at = used_at - 7100000');
  expect((await service.get('/console/session', { cookie })).status).toBe(200);
  const { rows } = await service.database.pool.query('SELECT max(used_at)::float8 AS used FROM runtime.sessions');
  expect(Date.now() - rows[0].used).toBeLessThan(60_000);
});

it('refuses a wrong key, a service key, a wrong token and a body that is neither', async () => {
  expect(await logIn('wrong:key')).toMatchObject({ status: 401, body: { error: 'API key invalid' } });
  const { apiKey } = await service.createBot({ kind: 'service' });
  expect(await logIn(apiKey)).toMatchObject({ status: 403 });
  const post = (body: unknown): Promise<Answer> => service.post('/console/session', body, OWN);
  expect(await post({ token: 'x' })).toMatchObject({ status: 401, body: { error: 'this link is not valid any more' } });
  expect(await post({ name: 'x' })).toMatchObject({ status: 400 });
  expect(await post('{')).toMatchObject({ status: 400 });
});
