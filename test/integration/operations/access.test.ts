import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminRoutes } from '../../../src/api/administration/routes.ts';
import { revokeOperator } from '../../../src/commands/operations/operator-work.ts';
import { createOperator, type TestOperator } from '../../support/operators.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

const unused = {} as never;
/** The id of a job and of an inspection that there are not. */
const NONE = '018f2f3a-0000-7000-8000-000000000000';
const ROUTES = adminRoutes({
  context: unused,
  db: unused,
  waitForCatalog: unused,
  findCaughtUp: unused,
}).map(({ method, url, access, answer }) => ({
  method,
  path: url.replace(/:\w+_id/, NONE),
  act: access.act === true,
  answer,
}));
const OWN = { 'sec-fetch-site': 'same-origin' };

describe('with ADMIN_API=on', () => {
  let service: TestService;
  let bot: TestBot;
  let reader: TestOperator;
  let actor: TestOperator;

  beforeAll(async () => {
    service = await startTestService({ ADMIN_API: 'on' });
    bot = await service.createBot();
    reader = await createOperator(service, 'read');
    actor = await createOperator(service, 'act');
  });
  afterAll(() => service.stop());

  const call = (method: string, path: string, headers: Record<string, string>): Promise<Answer> =>
    method === 'GET' ? service.get(path, headers) : service.post(path, {}, headers);
  const logIn = (key: string): Promise<Answer> => service.post('/console/session', { key }, OWN);
  const cookieOf = ({ headers }: Answer): string => headers.get('set-cookie')!.split(';', 1)[0]!;

  it('has routes to read and routes to act', () => {
    expect(new Set(ROUTES.map(({ act }) => act))).toEqual(new Set([true, false]));
    expect(ROUTES.filter(({ method, act }) => act !== (method === 'POST'))).toEqual([]);
  });

  it.each(ROUTES)('$method $path is open to operators alone, and to act only to those who can', async (route) => {
    const { method, path, act } = route;
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (await call(method, path, headers)).status;
    expect(await statusOf({}), 'without a key').toBe(401);
    expect(await statusOf({ 'api-key': bot.apiKey }), 'an API key').toBe(401);
    expect(await statusOf({ authorization: `Bearer ${bot.apiKey}` }), 'an API key as bearer').toBe(401);
    expect(await statusOf({ cookie: cookieOf(await logIn(bot.apiKey)), ...OWN }), 'an owner’s session').toBe(401);
    expect(await statusOf({ 'api-key': `operator:${'x'.repeat(43)}` }), 'an unknown operator').toBe(401);
    // An empty body is wrong, and no job has that id: what counts is that the checks after access are reached.
    const open = act ? [400] : [200, 404];
    expect(open).toContain(await statusOf(actor.key));
    expect(act ? [403] : open).toContain(await statusOf(reader.key));
    expect(open, 'by session').toContain(await statusOf({ cookie: cookieOf(await logIn(actor.operatorKey)), ...OWN }));
    expect(act ? [403] : open, 'by session').toContain(
      await statusOf({ cookie: cookieOf(await logIn(reader.operatorKey)), ...OWN }),
    );
  });

  it('an operator key opens no route of owners, by header or by session', async () => {
    const cookie = cookieOf(await logIn(actor.operatorKey));
    for (const headers of [actor.key, { cookie, ...OWN }] as Record<string, string>[]) {
      expect((await service.get('/v1/reports/events', headers)).status).toBe(401);
      expect((await service.post('/v1/send-event', { event: 'x', user_id: 1 }, headers)).status).toBe(401);
    }
  });

  it('the session says who is logged in, and shows an operator no bot', async () => {
    const answer = await logIn(reader.operatorKey);
    expect(answer.body.data).toEqual({
      kind: 'operator',
      name: 'Operator who can read',
      can: 'read',
      expires_at: expect.any(String),
    });
    const session = await service.get('/console/session', { cookie: cookieOf(answer) });
    expect(session.body.data).toEqual(answer.body.data);
    expect((await logIn(bot.apiKey)).body.data).toMatchObject({ kind: 'personal', bots: [{ name: 'Bot' }] });
  });

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['neither header', {}],
  ])('refuses a change by an operator’s cookie with %s', async (_, headers) => {
    const cookie = cookieOf(await logIn(actor.operatorKey));
    const sent = { cookie, ...headers } as Record<string, string>;
    expect((await service.post('/admin/v1/jobs', {}, sent)).status).toBe(403);
  });

  it('a revoked operator is out within 2 s, by key and by session', async () => {
    const leaving = await createOperator(service, 'read');
    const cookie = cookieOf(await logIn(leaving.operatorKey));
    const both = async (): Promise<number[]> => [
      (await service.get('/admin/v1/processes', leaving.key)).status,
      (await service.get('/admin/v1/processes', { cookie })).status,
    ];
    expect(await both()).toEqual([200, 200]);
    await revokeOperator(service.commands, leaving.operatorId);
    const begun = performance.now();
    await expect.poll(both, { interval: 100 }).toEqual([401, 401]);
    // Twice the promise, since the machine may be busy.
    expect(performance.now() - begun).toBeLessThan(4000);
    expect((await logIn(leaving.operatorKey)).status).toBe(401);
  });

  it('keeps the key as a hash alone, and issues it into the log', async () => {
    const { commits } = await service.log.read(`operator-${actor.operatorId}`);
    const secret = actor.operatorKey.split(':')[1]!;
    expect(JSON.stringify(commits)).not.toContain(secret);
    expect(commits[0]!.events[0]).toMatchObject({ type: 'operator_issued', data: { can: 'act' } });
  });

  const ANSWERED = ROUTES.filter(({ method, path }) => method === 'GET' && !path.includes(NONE));
  it.each(ANSWERED)('$path answers in the declared shape', async ({ path, answer }) => {
    const { body } = await service.get(path, reader.key);
    expect(answer.safeParse(body).error).toBeUndefined();
  });
});

describe('with ADMIN_API off, the default with a database of one’s own', () => {
  let service: TestService;
  let operator: TestOperator;
  beforeAll(async () => {
    service = await startTestService();
    operator = await createOperator(service, 'act');
  });
  afterAll(() => service.stop());

  it.each(ROUTES)('$method $path is 404', async ({ method, path }) => {
    const answer = method === 'GET' ? service.get(path, operator.key) : service.post(path, {}, operator.key);
    expect((await answer).status).toBe(404);
  });

  it('an operator does not log in', async () => {
    const answer = await service.post('/console/session', { key: operator.operatorKey }, OWN);
    expect(answer.status).toBe(401);
  });
});
