import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { route } from '../../../src/api/route.ts';
import { type RecordedSpans, recordSpans } from '../../support/recorded-spans.ts';
import { stubApp } from '../../support/stub-app.ts';

let recorded: RecordedSpans;
let app: FastifyInstance;

const failing = route({
  method: 'GET',
  url: '/v1/failing',
  operationId: 'failing',
  summary: 'Fails',
  tag: 'Reports',
  access: { resource: 'optional' },
  answer: z.object({}),
  handle: async () => ({}),
});
const authenticator = {
  async authenticate(): Promise<null> {
    throw new TypeError('of user 4242');
  },
  authenticateHash: async () => null,
  resource: async () => 'unknown' as const,
  webhookBot: async () => null,
};

beforeAll(async () => {
  recorded = recordSpans();
  app = await stubApp({ routes: [failing], authenticator });
});
afterAll(async () => {
  await app.close();
  recorded.stop();
});

it('a request that fails has the status error, without the text of the error', async () => {
  const answer = await app.inject({ url: '/v1/failing', headers: { 'api-key': 'owner:sesame' } });
  expect(answer.statusCode).toBe(500);
  const span = await recorded.find('GET /v1/failing');
  expect(span).toMatchObject({
    status: { code: 2 },
    attributes: { 'http.response.status_code': 500, 'error.type': '500', 'http.route': '/v1/failing' },
  });
  expect(JSON.stringify([span.name, span.attributes, span.events, span.status])).not.toMatch(/4242|sesame/);
});

it('a refused request is no error of the service', async () => {
  expect((await app.inject('/v1/failing')).statusCode).toBe(401);
  const span = await recorded.find('GET /v1/failing', ({ attributes }) => {
    return attributes['http.response.status_code'] === 401;
  });
  expect(span.status.code).toBe(0);
});

it('what monitoring asks for makes no span', async () => {
  const before = recorded.spans.length;
  for (const url of ['/health', '/ready', '/metrics']) expect((await app.inject(url)).statusCode).toBe(200);
  expect(recorded.spans.slice(before)).toEqual([]);
});
