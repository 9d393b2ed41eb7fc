import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { route } from '../../../src/api/route.ts';
import { ConfigError, readConfig } from '../../../src/config.ts';
import { stubApp } from '../../support/stub-app.ts';

/** The places of a key in a request (decisions.md#api-key), and the web pages that may call (decisions.md#web-pages). */
const apps: FastifyInstance[] = [];
afterAll(() => Promise.all(apps.map((app) => app.close())));

async function appFor(corsOrigins: string): Promise<FastifyInstance> {
  const app = await stubApp({
    authenticator: {
      authenticate: async (key) =>
        key.startsWith('good')
          ? { keyId: 1, ownerId: 1, kind: 'personal', plan: 'premium', scope: { type: 'all' }, currency: 'USD' }
          : null,
      authenticateHash: async () => null,
      resource: async () => 'missing',
      webhookBot: async () => null,
    },
    routes: [thing('/v1/send', 'Intake'), thing('/v1/report', 'Reports')],
    corsOrigins: readConfig({ CORS_ORIGINS: corsOrigins }).CORS_ORIGINS,
  });
  apps.push(app);
  return app;
}

const thing = (url: string, tag: 'Intake' | 'Reports') =>
  route({
    method: 'POST',
    url,
    operationId: url,
    summary: '',
    tag,
    access: { resource: 'optional' },
    answer: z.object({ ok: z.literal(true) }),
    handle: async () => ({ ok: true }),
  });

const PAGE = 'https://app.example';

async function post(app: FastifyInstance, options: InjectOptions) {
  const { headers = {}, ...rest } = options;
  return app.inject({
    method: 'POST',
    url: '/v1/send',
    payload: '{}',
    ...rest,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

describe('a key', async () => {
  const app = await appFor('');
  const status = async (options: InjectOptions): Promise<number> => (await post(app, options)).statusCode;

  it.each(['Bearer good', 'bearer  good'])('is taken from Authorization: %s', async (authorization) => {
    expect(await status({ headers: { authorization } })).toBe(200);
  });

  it('in Authorization has precedence over query and body, but not over Api-Key', async () => {
    expect(await status({ headers: { authorization: 'Bearer good', 'api-key': 'wrong' } })).toBe(401);
    expect(await status({ headers: { authorization: 'Bearer wrong', 'api-key': 'good' } })).toBe(200);
    expect(await status({ headers: { authorization: 'Bearer wrong' }, url: '/v1/send?api-key=good' })).toBe(401);
    expect(await status({ headers: { authorization: 'Bearer wrong' }, payload: '{"api-key":"good"}' })).toBe(401);
  });

  it('in Authorization is checked before the body is read', async () => {
    const payload = 'x'.repeat(2 << 20);
    expect(await status({ headers: { authorization: 'Bearer wrong' }, payload })).toBe(401);
    expect(await status({ headers: { authorization: 'Bearer good' }, payload })).toBe(413);
  });

  it('is ignored in another scheme', async () => {
    expect(await status({ headers: { authorization: 'Basic good' } })).toBe(401);
    expect(await status({ headers: { authorization: 'Basic eA==' }, payload: '{"api-key":"good"}' })).toBe(200);
  });

  it('is accepted in Authorization by the OpenAPI document', async () => {
    const { components, security } = (await app.inject('/openapi.json')).json();
    expect(components.securitySchemes.bearer).toEqual({ type: 'http', scheme: 'bearer' });
    expect(security).toContainEqual({ bearer: [] });
  });
});

describe('a web page', async () => {
  const app = await appFor(`${PAGE}, http://localhost:8080`);
  const preflight = { method: 'OPTIONS', url: '/v1/send', headers: { origin: PAGE } } as const;

  it('of a configured origin may call intake, and read refusals', async () => {
    const asked = await app.inject(preflight);
    expect([asked.statusCode, asked.headers]).toMatchObject([
      204,
      {
        'access-control-allow-origin': PAGE,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': expect.stringContaining('Authorization'),
        vary: 'Origin',
      },
    ]);
    for (const [key, status] of [
      ['good', 200],
      ['wrong', 401],
    ] as const) {
      const answer = await post(app, { headers: { origin: PAGE, 'api-key': key } });
      expect(answer.statusCode).toBe(status);
      expect(answer.headers['access-control-allow-origin']).toBe(PAGE);
    }
  });

  it.each(['https://other.example', 'https://app.example.evil', 'null'])(
    'of origin %s may not call',
    async (origin) => {
      for (const answer of [
        await app.inject({ ...preflight, headers: { origin } }),
        await post(app, { headers: { origin, 'api-key': 'good' } }),
      ]) {
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
        expect(answer.headers).not.toHaveProperty('access-control-allow-headers');
        expect(answer.headers['vary']).toBe('Origin');
      }
    },
  );

  it('of any origin may call only intake', async () => {
    expect((await app.inject({ ...preflight, url: '/v1/report' })).statusCode).toBe(405);
    expect((await app.inject({ ...preflight, url: '/v1/nowhere' })).statusCode).toBe(404);
    const answer = await post(app, { url: '/v1/report', headers: { origin: PAGE, 'api-key': 'good' } });
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('of every origin may call if CORS_ORIGINS is *', async () => {
    const every = await appFor('*');
    expect((await every.inject(preflight)).headers['access-control-allow-origin']).toBe('*');
  });

  it('of no origin may call if CORS_ORIGINS is empty', async () => {
    const none = await appFor('');
    expect((await none.inject(preflight)).statusCode).toBe(405);
    const answer = await post(none, { headers: { origin: PAGE, 'api-key': 'good' } });
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it.each(['app.example', 'https://app.example/', 'https://a.example,*', 'https://a.example/path'])(
    'CORS_ORIGINS=%s is refused',
    (origins) => {
      const message = 'configuration: CORS_ORIGINS: must be * or origins like https://app.example, comma-separated';
      expect(() => readConfig({ CORS_ORIGINS: origins })).toThrow(new ConfigError(message));
    },
  );
});
