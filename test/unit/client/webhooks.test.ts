import { WebhookVerificationError, webhooks } from '@botledger/client';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { secretText, signedHeaders } from '../../../src/domain/referral/delivery.ts';

/** `webhooks.verify` takes the requests of the service, and no others. */

const [former, current, other] = [1, 2, 3].map((byte) => secretText(new Uint8Array(32).fill(byte))) as [
  string,
  string,
  string,
];
const BODY =
  '{"type":"payout.created","timestamp":"2026-01-15T00:00:00.000Z","data":{"payout_id":17,"user_id":42,"amount":12.50000000000000001,"unit_id":3,"unit":"ü","bot":"b"}}';
const NOW = Date.UTC(2026, 0, 15);
const signed = (...secrets: string[]): Record<string, string> =>
  signedHeaders({ payout_id: 17, nonce: '0123456789abcdef' } as never, BODY, secrets, NOW);
const at = (ms: number) => ({ now: () => ms });

describe('a request of the service', () => {
  it.each([
    ['text', BODY],
    ['bytes', new TextEncoder().encode(BODY)],
  ])('is taken from its %s, with every digit of the amount', async (_, body) => {
    const { type, data } = await webhooks.verify(body, signed(current), current, at(NOW));
    expect([type, data.payout_id, data.amount, data.unit]).toEqual(['payout.created', 17, '12.50000000000000001', 'ü']);
  });

  it.each([
    ['the new one', current],
    ['the old one', former],
    ['both', [former, current]],
  ])('is taken during a rotation by a receiver that has %s', async (_, secrets) => {
    await expect(webhooks.verify(BODY, signed(current, former), secrets, at(NOW))).resolves.toBeTruthy();
  });

  it('is taken from any form of headers', async () => {
    const headers = signed(current);
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const form of [new Headers(headers), upper, lists])
      await expect(webhooks.verify(BODY, form, current, at(NOW))).resolves.toBeTruthy();
  });

  it('is taken as the library of Standard Webhooks signs it', async () => {
    const when = new Date(NOW);
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(NOW / 1000),
      'webhook-signature': new Webhook(current).sign('msg_1', when, BODY),
    };
    await expect(webhooks.verify(BODY, headers, current, at(NOW))).resolves.toBeTruthy();
  });
});

describe('refused is', () => {
  const refused = (body: string, headers: Record<string, string>, ms = NOW) =>
    expect(webhooks.verify(body, headers, current, at(ms))).rejects.toThrow(WebhookVerificationError);

  it('another secret, also one whose signature is the second', () => refused(BODY, signed(other, former)));
  it('a changed body', () => refused(BODY.replace('17', '18'), signed(current)));
  it('a changed id', () => refused(BODY, { ...signed(current), 'webhook-id': 'payout_18' }));
  it('a changed timestamp', () => refused(BODY, { ...signed(current), 'webhook-timestamp': String(NOW / 1000 + 1) }));
  it('an old one', () => refused(BODY, signed(current), NOW + 301_000));
  it('one of the future', () => refused(BODY, signed(current), NOW - 301_000));
  it('a timestamp that is none', () => refused(BODY, { ...signed(current), 'webhook-timestamp': 'NaN' }));
  it('another version', () =>
    refused(BODY, {
      ...signed(current),
      'webhook-signature': signed(current)['webhook-signature']!.replace('v1,', 'v2,'),
    }));
  it('a signature that is no base64', () => refused(BODY, { ...signed(current), 'webhook-signature': 'v1,%%%' }));
  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('a request without %s', async (name) => {
    const { [name]: _, ...rest } = signed(current);
    await expect(webhooks.verify(BODY, rest, current, at(NOW))).rejects.toThrow(`the header ${name} is missing`);
  });
  it('a secret in another form', async () => {
    await expect(webhooks.verify(BODY, signed(current), 'secret', at(NOW))).rejects.toThrow(TypeError);
  });
});
