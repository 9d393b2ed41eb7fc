import { BotledgerError, type RequestReport } from '@botledger/client';
import { describe, expect, it, vi } from 'vitest';
import { refusal, scriptedClient } from '../../support/scripted-client.ts';

/** `onRequest`, and the request id that the service logs. */

function observedClient() {
  const reports: RequestReport[] = [];
  let ids = 0;
  const scripted = scriptedClient({
    onRequest: (report) => reports.push(report),
    newRequestId: () => `request-${++ids}`,
  });
  return { ...scripted, reports };
}

describe('onRequest', () => {
  it('gets each attempt with its status, error and number, under one id', async () => {
    const { client, answer, reports, sent } = observedClient();
    answer(refusal(503, 'busy'), new TypeError('fetch failed'), { body: { ok: true, data: { payout_ids: [] } } });
    await client.post('/v1/referral/payout', { user_id: 1 });
    const { error: first } = reports[0]!;
    expect(reports.map(({ error, ...report }) => ({ ...report, error: (error as Error | null)?.name }))).toEqual([
      {
        method: 'POST',
        path: '/v1/referral/payout',
        attempt: 1,
        status: 503,
        durationMs: 0,
        requestId: 'request-1',
        error: 'UnavailableError',
      },
      {
        method: 'POST',
        path: '/v1/referral/payout',
        attempt: 2,
        status: null,
        durationMs: 0,
        requestId: 'request-1',
        error: 'ConnectionError',
      },
      {
        method: 'POST',
        path: '/v1/referral/payout',
        attempt: 3,
        status: 200,
        durationMs: 0,
        requestId: 'request-1',
        error: undefined,
      },
    ]);
    expect(first).toBeInstanceOf(BotledgerError);
    expect(sent.map(({ headers }) => headers.get('x-request-id'))).toEqual(['request-1', 'request-1', 'request-1']);
  });

  it('measures how long an attempt took', async () => {
    let now = 1000;
    const reports: RequestReport[] = [];
    const { client } = scriptedClient({
      now: () => now,
      fetch: async () => {
        now += 70;
        return Response.json({ ok: true });
      },
      onRequest: (report) => reports.push(report),
    });
    await client.get('/v1/reports/resources');
    expect(reports.map(({ durationMs }) => durationMs)).toEqual([70]);
  });

  it('gets the path without the query, and the requests of queues', async () => {
    const { client, reports } = observedClient();
    await client.get('/v1/referral/codes', { user_id: 4242 });
    const queue = client.eventQueue();
    queue.add({ event: 'a', user_id: 1 });
    await queue.close();
    expect(reports.map(({ path, requestId }) => [path, requestId])).toEqual([
      ['/v1/referral/codes', 'request-1'],
      ['/v1/send-event', 'request-2'],
    ]);
  });

  it('fails no call, and its error is written to the console', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {});
    const thrown = new Error('no metrics');
    const { client, answer } = scriptedClient({
      onRequest: () => {
        throw thrown;
      },
    });
    answer({ body: { ok: true, data: [] } });
    expect(await client.get('/v1/reports/resources')).toEqual([]);
    expect(told.mock.calls).toEqual([['botledger: onRequest failed', thrown]]);
    told.mockRestore();
  });
});

it('an error has the request id of its call', async () => {
  const { client, answer } = observedClient();
  answer(refusal(404, 'unknown'));
  await expect(client.get('/v1/referral/codes', { user_id: 1 })).rejects.toMatchObject({ requestId: 'request-1' });
});
