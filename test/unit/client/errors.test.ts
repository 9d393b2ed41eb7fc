import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  AuthenticationError,
  BotledgerError,
  ConflictError,
  createClient,
  InvalidRequestError,
  NotFoundError,
  OutcomeUnknownError,
  PermissionError,
  RateLimitError,
  ServerError,
  UnavailableError,
} from '@botledger/client';
import { describe, expect, it } from 'vitest';
import { refusal, scriptedClient } from '../../support/scripted-client.ts';

const UNKNOWN = refusal(500, 'outcome unknown, repeat with the same Idempotency-Key');

describe('an error', () => {
  it.each([
    [400, InvalidRequestError],
    [401, AuthenticationError],
    [403, PermissionError],
    [404, NotFoundError],
    [409, ConflictError],
    [413, InvalidRequestError],
    [415, InvalidRequestError],
    [422, InvalidRequestError],
    [429, RateLimitError],
    [500, ServerError],
    [502, ServerError],
    [503, UnavailableError],
    [418, ServerError],
  ])('of status %i has its class, the text and the details', async (status, Class) => {
    const { client, answer } = scriptedClient({ maxRetries: 0 });
    const details = [{ path: 'user_id', message: 'must be a positive integer', allowed: ['1'] }];
    answer(refusal(status, 'must be a positive integer (at user_id)', { details }));
    const failed = client.post('/v1/referral/payout', { user_id: 1 });
    await expect(failed).rejects.toBeInstanceOf(Class);
    await expect(failed).rejects.toBeInstanceOf(BotledgerError);
    await expect(failed).rejects.toMatchObject({
      name: Class.name,
      message: 'must be a positive integer (at user_id)',
      status,
      details,
    });
  });

  it('of an unknown outcome has a separate class', async () => {
    const { client, answer } = scriptedClient({ maxRetries: 0 });
    answer(UNKNOWN);
    await expect(client.post('/v1/referral/payout', { user_id: 1 })).rejects.toBeInstanceOf(OutcomeUnknownError);
  });

  it('of send-target has a detail for each message of a field', async () => {
    const { client, answer } = scriptedClient();
    answer(refusal(400, { '0.target_id': ['Unknown target_id'], '1.date': ['is no date', 'is too late'] }));
    await expect(client.post('/v1/send-target', [])).rejects.toMatchObject({
      message: 'Unknown target_id (at 0.target_id)',
      details: [
        { path: '0.target_id', message: 'Unknown target_id' },
        { path: '1.date', message: 'is no date' },
        { path: '1.date', message: 'is too late' },
      ],
    });
  });

  it.each([
    [403, { error: { code: 403 } }, 'PermissionError', 'the service answered 403'],
    [403, { error: { code: 403, message: 'Forbidden' } }, 'PermissionError', 'the service answered 403: Forbidden'],
    [404, { message: 'no route' }, 'NotFoundError', 'the service answered 404: no route'],
    [400, { error: [] }, 'InvalidRequestError', 'the service answered 400'],
    [400, { error: { user_id: 'wrong' } }, 'InvalidRequestError', 'the service answered 400'],
    [422, { detail: [{ loc: ['body', 0], msg: 'wrong' }] }, 'InvalidRequestError', 'the service answered 422'],
    [400, 'null', 'InvalidRequestError', 'the service answered 400'],
  ])('of status %i with the body %j is reported as such, and is final', async (status, body, name, message) => {
    const { client, sent, answer } = scriptedClient();
    answer({ status, body });
    const failed = client.post('/v1/referral/payout', { user_id: 1 });
    await expect(failed).rejects.toMatchObject({ name, message, status, details: [] });
    expect(sent).toHaveLength(1);
  });

  it.each([
    [null],
    [{ path: 'x', message: 'y' }],
    [['wrong', 'worse']],
    [[{ loc: ['body', 0, 'user_id'], msg: 'wrong', type: 'int' }]],
    [[null, { path: 3, message: 'y' }]],
    ['wrong'],
  ])('with the details %j has none', async (details) => {
    const { client, answer } = scriptedClient();
    answer({ status: 400, body: { ok: false, error: 'wrong', error_code: 400, details } });
    await expect(client.post('/v1/referral/payout', { user_id: 1 })).rejects.toMatchObject({
      name: 'InvalidRequestError',
      message: 'wrong',
      details: [],
    });
  });

  it('of a redirect names where it leads, and the key does not go there', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      asked.push(url);
      response.writeHead(302, { location: '/login' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const failed = createClient({ baseUrl, apiKey: 'a:b' }).post('/v1/send-event', { event: 'x', user_id: 1 });
      await expect(failed).rejects.toMatchObject({
        name: 'ServerError',
        status: 302,
        message: 'the service answered 302, a redirect to /login: check baseUrl',
      });
      expect(asked).toEqual(['/v1/send-event']);
    } finally {
      server.close();
    }
  });

  it('of a proxy that answers with a page has the status, and so has a success that is no JSON', async () => {
    const { client, answer } = scriptedClient({ maxRetries: 0 });
    answer({ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' });
    await expect(client.get('/v1/reports/events')).rejects.toMatchObject({
      name: 'ServerError',
      message: 'the service answered 502',
    });
    for (const body of ['{"ok": tru', '<h1>Log in</h1>']) {
      answer({ headers: { 'content-type': 'text/html' }, body });
      await expect(client.get('/v1/reports/events')).rejects.toMatchObject({ name: 'ServerError', status: 200 });
    }
  });
});
