import { createForwarder, type ForwarderOptions } from '@botledger/client';
import { describe, expect, it } from 'vitest';

interface Sent {
  readonly path: string;
  readonly body: readonly Record<string, unknown>[];
}

/** A forwarder on a service that answers what the test lets it answer. */
function forwarderOn(answer: (sent: Sent) => Promise<Response> | Response, options: Partial<ForwarderOptions> = {}) {
  const sent: Sent[] = [];
  const failed: { message: string; items: number }[] = [];
  const forwarder = createForwarder({
    baseUrl: 'http://service.test',
    apiKey: 'a:b',
    async fetch(request) {
      const text = await request.text();
      const one = { path: new URL(request.url).pathname, body: text === '' ? [] : JSON.parse(text) };
      sent.push(one);
      return answer(one);
    },
    sleep: () => new Promise(() => {}),
    now: () => Date.UTC(2026, 0, 15, 10),
    onFailed: (error, items) => void failed.push({ message: (error as Error).message, items: items.length }),
    ...options,
  });
  return { forwarder, sent, failed };
}
const ok = (): Response => Response.json({ ok: true });

describe('a forwarder', () => {
  it('forwards updates, and sends events of their users with dates and keys', async () => {
    const { forwarder, sent } = forwarderOn(ok);
    const user = forwarder.received({ update_id: 7 }, 42);
    user.event('opened');
    user.event('order_paid', { value_num: 2000, unit: 'USD', user_id: 43, date: '2026-01-01', event_key: 'order 1' });
    user.event('closed', { event_key: null });
    await forwarder.flush();
    const date = '2026-01-15T10:00:00.000Z';
    expect(sent).toEqual([
      { path: '/v1/send-batch-update', body: [{ date, update: { update_id: 7 } }] },
      {
        path: '/v1/send-event',
        body: [
          { event: 'opened', user_id: 42, date, event_key: 'update 7 opened 0' },
          { event: 'order_paid', user_id: 43, value_num: 2000, unit: 'USD', date: '2026-01-01', event_key: 'order 1' },
          { event: 'closed', user_id: 42, date, event_key: null },
        ],
      },
    ]);
  });

  it('gives an update that comes again the same keys of events', async () => {
    const { forwarder, sent } = forwarderOn(ok, { forwardUpdates: false });
    for (let n = 0; n < 2; n++) forwarder.received({ update_id: 7 }, 42).event('opened');
    await forwarder.flush();
    expect(sent.map(({ path }) => path)).toEqual(['/v1/send-event']);
    expect(sent[0]!.body.map(({ event_key }) => event_key)).toEqual(['update 7 opened 0', 'update 7 opened 0']);
  });

  it('never waits for the service, and reports what finds the queue full', () => {
    const { forwarder, failed } = forwarderOn(() => new Promise<Response>(() => {}), {
      queue: { capacity: 2, maxBatch: 1 },
    });
    for (let update_id = 1; update_id <= 3; update_id++) forwarder.received({ update_id }, 42).event('opened');
    expect(failed).toEqual([
      { message: 'the queue is full', items: 1 },
      { message: 'the queue is full', items: 1 },
    ]);
  });

  it('raises no error in the bot after its end, for an odd update, or for an error of onFailed', async () => {
    const lines: unknown[][] = [];
    const log = console.error;
    console.error = (...line) => void lines.push(line);
    try {
      const onFailed = (): never => {
        throw new Error('a bug of the caller');
      };
      const { forwarder, sent } = forwarderOn(ok, { onFailed });
      forwarder.received({ update_id: 1, odd: Number.NaN } as { update_id: number }, 42);
      await forwarder.close();
      const receipt = forwarder.received({ update_id: 2 }, 42).event('opened');
      expect(receipt.taken).toBe(false);
      await expect(receipt.sent).rejects.toThrow('the queue is closed');
      expect(sent).toEqual([]);
      expect(lines).toHaveLength(3);
    } finally {
      console.error = log;
    }
  });

  it('sends an event after the updates that came before it', async () => {
    let letThrough = (): void => {};
    const through = new Promise<Response>((resolve) => {
      letThrough = () => resolve(ok());
    });
    const { forwarder, sent } = forwarderOn(({ path }) => (path === '/v1/send-batch-update' ? through : ok()));
    forwarder.received({ update_id: 7 }, 42).event('opened');
    const flushed = forwarder.flush();
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent.map(({ path }) => path)).toEqual(['/v1/send-batch-update']);
    letThrough();
    await flushed;
    expect(sent.map(({ path }) => path)).toEqual(['/v1/send-batch-update', '/v1/send-event']);
  });

  it('says so, if an update has no user', async () => {
    const { forwarder } = forwarderOn(ok);
    const channel = forwarder.received({ update_id: 7 }, undefined);
    expect(() => channel.event('opened')).toThrow('the update 7 has no user');
    await expect(channel.referralLink()).rejects.toThrow('the update 7 has no user');
    channel.event('opened', { user_id: 1 });
  });

  it('gives the newest referral link of the user, or makes the first one', async () => {
    let codes: object[] = [
      { code: 'new', link: 'https://t.me/b?start=new' },
      { code: 'old', link: null },
    ];
    const made = { code: 'made', link: 'https://t.me/b?start=made' };
    const { forwarder, sent } = forwarderOn(({ path }) =>
      Response.json({ ok: true, data: path.endsWith('/codes') ? { codes } : made }),
    );
    const user = forwarder.received({ update_id: 7 }, 42);
    expect(await user.referralLink()).toBe('https://t.me/b?start=new');
    codes = [];
    expect(await user.referralLink()).toBe('https://t.me/b?start=made');
    expect(sent.map(({ path }) => path)).toEqual([
      '/v1/referral/codes',
      '/v1/referral/codes',
      '/v1/referral/create-code',
    ]);
  });
});
