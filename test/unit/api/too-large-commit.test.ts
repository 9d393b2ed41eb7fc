import { expect, it } from 'vitest';
import { z } from 'zod';
import { route } from '../../../src/api/route.ts';
import { CommitTooLargeError } from '../../../src/log/port.ts';
import { stubApp } from '../../support/stub-app.ts';

it('a request whose commit is larger than the log takes is 413', async () => {
  const send = route({
    method: 'POST',
    url: '/v1/send',
    operationId: 'send',
    summary: '',
    tag: 'Intake',
    access: { resource: 'optional' },
    answer: z.object({}),
    handle: () => Promise.reject(new CommitTooLargeError('a commit of 30 MB is too large')),
  });
  const authenticator = {
    authenticate: async () =>
      ({ keyId: 1, ownerId: 1, kind: 'personal', plan: 'premium', scope: { type: 'all' }, currency: 'USD' }) as const,
    authenticateHash: async () => null,
    resource: async () => 'missing' as const,
    webhookBot: async () => null,
  };
  const app = await stubApp({ routes: [send], authenticator });
  const headers = { 'content-type': 'application/json', 'api-key': 'k' };
  const { statusCode, json } = await app.inject({ method: 'POST', url: '/v1/send', payload: '{}', headers });
  expect([statusCode, json()]).toEqual([
    413,
    { ok: false, error: 'the request is too large for the log', error_code: 413 },
  ]);
  await app.close();
});
