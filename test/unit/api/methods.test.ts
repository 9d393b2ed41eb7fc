import { once } from 'node:events';
import { type IncomingMessage, METHODS, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { route } from '../../../src/api/route.ts';
import { stubApp } from '../../support/stub-app.ts';

let app: FastifyInstance;
beforeAll(async () => {
  const routes = [declared('POST', '/v1/thing'), declared('GET', '/v1/both'), declared('POST', '/v1/both')];
  app = await stubApp({ routes });
  await app.listen({ port: 0 });
});
afterAll(() => app.close());

function declared(method: 'GET' | 'POST', url: string): ReturnType<typeof route> {
  return route({
    method,
    url,
    operationId: `${method}${url}`,
    summary: '',
    tag: 'Operations',
    access: { resource: 'optional' },
    answer: z.object({}),
    handle: async () => ({}),
  });
}

async function ask(method: string, path: string): Promise<{ status?: number; allow?: string; body: string }> {
  const { port } = app.server.address() as AddressInfo;
  const [answer] = (await once(request({ port, method, path }).end(), 'response')) as [IncomingMessage];
  return { status: answer.statusCode!, allow: answer.headers.allow!, body: await text(answer) };
}

it.each<[string, readonly string[]]>([
  ['/health', ['GET', 'HEAD']],
  ['/ready', ['GET', 'HEAD']],
  ['/metrics', ['GET', 'HEAD']],
  ['/docs', ['GET', 'HEAD']],
  ['/docs/', ['GET', 'HEAD']],
  ['/docs/guide', ['GET', 'HEAD']],
  ['/docs/guide/psql', ['GET', 'HEAD']],
  ['/openapi.json', ['GET', 'HEAD']],
  ['/v1/thing', ['POST']],
  ['/v1/both', ['GET', 'HEAD', 'POST']],
])('%s is 405 to every method but %j', async (path, allowed) => {
  // Node answers CONNECT itself.
  for (const method of METHODS.filter((each) => each !== 'CONNECT')) {
    const { status, allow, body } = await ask(method, path);
    if (allowed.includes(method)) expect({ method, status }).not.toEqual({ method, status: 405 });
    else {
      expect({ method, status, allow }).toEqual({ method, status: 405, allow: allowed.join(', ') });
      if (method !== 'HEAD') expect(JSON.parse(body)).toMatchObject({ ok: false, error_code: 405 });
    }
  }
});

it('a path that does not exist is 404 to every method', async () => {
  for (const method of ['GET', 'OPTIONS', 'TRACE', 'PROPFIND'])
    expect(await ask(method, '/nothing')).toMatchObject({ status: 404, body: expect.stringContaining('"ok":false') });
});
