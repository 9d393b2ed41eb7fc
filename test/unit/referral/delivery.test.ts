import fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  dueAt,
  nextAttempt,
  noticeBody,
  resultOfStatus,
  retryAfter,
  secretText,
  signedHeaders,
  webhookId,
} from '../../../src/domain/referral/delivery.ts';
import { rotateSecret, setWebhook, signingSecrets, webhook } from '../../../src/domain/referral/delivery-webhook.ts';
import { given } from '../../support/decider-specification.ts';
import { blocksOf } from '../../support/pages.ts';

const NOTICE = {
  ...{ payout_id: 17, user_id: 42, amount: '12.50', unit_id: 3, unit: 'USD', bot: 'b1' },
  requested_at: Date.UTC(2026, 0, 15),
};

describe('a notice', () => {
  it('is JSON whose amount has every digit', () => {
    expect(noticeBody(NOTICE)).toBe(
      '{"type":"payout.created","timestamp":"2026-01-15T00:00:00.000Z","data":' +
        '{"payout_id":17,"user_id":42,"amount":12.50,"unit_id":3,"unit":"USD","bot":"b1"}}',
    );
    const large = noticeBody({ ...NOTICE, amount: '123456789012345.000000000000000001', unit_id: null, unit: null });
    expect(large).toContain('"amount":123456789012345.000000000000000001,"unit_id":null,"unit":null');
  });

  it('is what docs/referral.md shows', () => {
    const shown = blocksOf('docs/referral.md').filter(({ note }) => note === 'webhook');
    expect(shown.map(({ text }) => text.trim())).toEqual([noticeBody({ ...NOTICE, amount: '12.5', bot: 'b…' })]);
  });

  it('is signed as an independent verifier expects, by each secret, and by no other', () => {
    const secret = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(secretText);
    fc.assert(
      fc.property(secret, secret, secret, fc.json(), (first, second, other, body) => {
        fc.pre(other !== first && other !== second);
        const headers = signedHeaders({ payout_id: 17, nonce: '9f' }, body, [first, second], Date.now());
        expect(headers['webhook-id']).toBe('payout_17_9f');
        for (const each of [first, second]) {
          expect(new Webhook(each).verify(body, headers)).toEqual(JSON.parse(body));
          expect(() => new Webhook(each).verify(`${body} `, headers)).toThrow(WebhookVerificationError);
        }
        expect(() => new Webhook(other).verify(body, headers)).toThrow(WebhookVerificationError);
      }),
      { numRuns: 30 },
    );
  });

  it('has the id that earlier programs gave, if the request has no nonce', () => {
    expect(webhookId({ payout_id: 17, nonce: null })).toBe('payout_17');
  });

  it.each([
    [200, 'paid'],
    [201, 'paid'],
    [204, 'paid'],
    [299, 'paid'],
    [202, 'accepted'],
    [410, 'gone'],
    [300, 'again'],
    [302, 'again'],
    [400, 'again'],
    [404, 'again'],
    [429, 'again'],
    [500, 'again'],
    [503, 'again'],
  ])('answered %i is %s', (status, judged) => {
    expect(resultOfStatus(status)).toBe(judged);
  });
});

const NOW = Date.UTC(2026, 0, 15, 12);
const DELAYS = [10, 5, 300, 1800];

describe('the schedule', () => {
  const payout = { status: 1, asked_at: NOW, attempt: null, attempted_at: NOW + 5, address: 2, next_at: NOW + 7 };
  it.each([
    ['created', { status: 0, next_at: null }, NOW + 10_000],
    ['retried', { status: 0 }, NOW + 7],
    ['attempted, without an end: taken to be cut off after a while', { attempt: 'open' }, NOW + 45_005],
    ['failed', { attempt: 'failed' }, NOW + 7],
    ['failed at an address before', { attempt: 'failed', address: 1 }, NOW + 5],
    [
      'failed before the address was set, itself not noted',
      { attempt: 'failed', address: null, attempted_at: NOW + 3 },
      NOW + 3,
    ],
    ['failed after the address was set, itself not noted', { attempt: 'failed', address: null }, NOW + 7],
    ['failed for the last time', { attempt: 'failed', next_at: null }, null],
    ['accepted', { attempt: 'accepted' }, null],
    ['paid', { status: 2 }, null],
    ['failed for good', { status: 3 }, null],
    ['cancelled', { status: 4 }, null],
  ] as const)('of a payout that is %s', (_, changes, due) => {
    expect(dueAt({ ...payout, ...changes }, DELAYS, { address: 2, setAt: NOW + 4 }, NOW)).toBe(due);
  });

  it.each([
    ['created', { status: 0, next_at: null }],
    ['retried', { status: 0 }],
    ['attempted, without an end', { attempt: 'open' }],
    ['failed', { attempt: 'failed' }],
    ['failed at an address before', { attempt: 'failed', address: 1 }],
  ] as const)('counts the wait as over if the clock was set back since the payout was %s', (_, changes) => {
    const due = (now: number) => dueAt({ ...payout, ...changes }, DELAYS, { address: 2, setAt: NOW + 4 }, now);
    for (const now of [NOW - 11_000, NOW - 3_600_000]) expect(due(now)).toBe(now);
    // Clocks of two instances may differ by so much.
    expect(due(NOW - 9900)).toBe(due(NOW));
  });

  it('follows the delays, a fifth more or less, and ends', () => {
    const at = (failures: number, chance: number) =>
      nextAttempt(DELAYS, { failures, chance, now: NOW, retryAfter: null });
    expect([at(1, 0), at(1, 0.5), at(1, 1)]).toEqual([NOW + 4000, NOW + 5000, NOW + 6000]);
    expect([at(3, 0.5), at(4, 0.5)]).toEqual([NOW + 1_800_000, null]);
  });

  it("is never earlier than the client's Retry-After, up to a week", () => {
    const at = (ms: number | null, failures = 1) =>
      nextAttempt(DELAYS, { failures, chance: 0.5, now: NOW, retryAfter: ms === null ? null : NOW + ms });
    expect([at(60_000), at(1000), at(-5)]).toEqual([NOW + 60_000, NOW + 5000, NOW + 5000]);
    expect(at(400 * 86_400_000)).toBe(NOW + 7 * 86_400_000);
    expect(at(60_000, 4)).toBeNull();
  });

  it.each([
    ['120', NOW + 120_000],
    [' 0 ', NOW],
    ['Thu, 15 Jan 2026 12:30:00 GMT', NOW + 1_800_000],
    ['Thursday, 15-Jan-26 12:30:00 GMT', NOW + 1_800_000],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['2026-01-15', null],
    ['', null],
    [undefined, null],
  ])('reads Retry-After %j', (header, at) => {
    expect(retryAfter(header, NOW)).toBe(at);
  });
});

describe('a webhook', () => {
  const [first, second, third] = ['a', 'b', 'c'].map((sealed) => ({ sealed })) as [
    { sealed: string },
    { sealed: string },
    { sealed: string },
  ];
  const set = { type: 'payout_webhook_set', data: { url: 'https://example.com/pay', secret: first } } as const;
  const rotated = (secret: { sealed: string }, former_until: number) =>
    ({ type: 'payout_webhook_secret_rotated', data: { secret, former_until } }) as const;

  it('gets its secret the first time and keeps it with another address', () => {
    const asked = { url: 'https://example.com/pay', secret: second };
    given(webhook)
      .when((state) => setWebhook(state, { ...asked, secret: first }))
      .yields(set);
    // The server there may have been mended: what waits is tried again.
    given(webhook, set)
      .when((state) => setWebhook(state, asked))
      .yields({ type: 'payout_webhook_set', data: { url: asked.url } });
    expect(given(webhook, set, set).state()).toMatchObject({ address: 2 });
    given(webhook, set)
      .when((state) => setWebhook(state, { ...asked, url: 'http://127.0.0.1:80/x' }))
      .yields({ type: 'payout_webhook_set', data: { url: 'http://127.0.0.1/x' } });
  });

  it.each([
    'example.com',
    'ftp://example.com',
    'https://user:pass@example.com',
    'https://user@example.com',
    'https://',
    'x'.repeat(3000),
  ])('is never %s', (url) => {
    given(webhook)
      .when((state) => setWebhook(state, { url, secret: first }))
      .isRefused('invalid', 'url');
  });

  it('also signs by the old secret for a day, and never by more than two', () => {
    const until = NOW + 86_400_000;
    given(webhook, set)
      .when((state) => rotateSecret(state, second, NOW))
      .yields(rotated(second, until));
    given(webhook)
      .when((state) => rotateSecret(state, second, NOW))
      .isRefused('not_found', 'bot');
    const signing = (now: number, ...more: ReturnType<typeof rotated>[]) =>
      signingSecrets(given(webhook, set, ...more).state()!, now);
    expect(signing(NOW)).toEqual([first]);
    expect(signing(until - 1, rotated(second, until))).toEqual([second, first]);
    expect(signing(until, rotated(second, until))).toEqual([second]);
    expect(signing(NOW, rotated(second, until), rotated(third, until + 1))).toEqual([third, second]);
  });
});
