import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Verdict, verdictOf } from '../../../src/domain/broadcast/sending-answer.ts';

const answered = (status: number, body: unknown): Verdict =>
  verdictOf({ type: 'answered', status, body: typeof body === 'string' ? body : JSON.stringify(body) });
const error = (code: number, description: string, parameters?: object): Verdict =>
  answered(code, { ok: false, error_code: code, description, ...(parameters && { parameters }) });
const refused = (reason: string, more = {}): Verdict => ({
  type: 'refused',
  reason,
  ofMessage: false,
  userStatus: null,
  ...more,
});

test('done', () => {
  expect(answered(200, { ok: true, result: { message_id: 1 } })).toEqual({ type: 'done', result: { message_id: 1 } });
});

test.each([
  ['Forbidden: bot was blocked by the user', { userStatus: 'blocked' }],
  ['Forbidden: user is deactivated', { userStatus: 'deactivated' }],
  ['Forbidden: bot was kicked from the supergroup chat', {}],
])('403, %s', (reason, more) => expect(error(403, reason)).toEqual(refused(reason, more)));

test.each([
  "Bad Request: can't parse entities: Unsupported start tag",
  'Bad Request: message is too long',
  'Bad Request: message caption is too long',
  'Bad Request: wrong file identifier/HTTP URL specified',
  'Bad Request: failed to get HTTP URL content',
  'Bad Request: BUTTON_DATA_INVALID',
])('400 of the message itself: %s', (reason) =>
  expect(error(400, reason)).toEqual(refused(reason, { ofMessage: true })),
);

test.each([
  'Bad Request: chat not found',
  'Bad Request: not enough rights to send text messages to the chat',
  'Forbidden: BUTTON_',
])('400 of the chat: %s', (reason) => expect(error(400, reason)).toEqual(refused(reason)));

test('a chat that has become another', () => {
  const reason = 'Bad Request: group chat was upgraded to a supergroup chat';
  expect(error(400, reason, { migrate_to_chat_id: -1001 })).toEqual({ type: 'migrated', chatId: -1001, reason });
  expect(error(400, reason, { migrate_to_chat_id: '-1001' })).toEqual(refused(reason));
});

test('a limit, and how long it holds', () => {
  expect(error(429, 'Too Many Requests', { retry_after: 5329 })).toEqual({ type: 'limited', retryAfterMs: 5_329_000 });
  expect(error(429, 'Too Many Requests')).toEqual({ type: 'limited', retryAfterMs: 1000 });
  expect(error(429, 'Too Many Requests', { retry_after: -1 })).toEqual({ type: 'limited', retryAfterMs: 1000 });
  // A time beyond the range of dates could not be recorded.
  const year = { type: 'limited', retryAfterMs: 366 * 24 * 3600 * 1000 };
  for (const retry_after of [1e10, 1e15, 1e300]) expect(error(429, 'Too Many Requests', { retry_after })).toEqual(year);
});

test('a token that is not known', () => {
  expect(error(401, 'Unauthorized')).toEqual({ type: 'unauthorized', reason: 'Unauthorized' });
  expect(error(404, 'Not Found')).toEqual({ type: 'unauthorized', reason: 'Not Found' });
});

test.each([
  ['a page', 200, '<html>'],
  ['nothing', 200, ''],
  ['no object', 200, 'true'],
  ['what says neither', 200, '{}'],
  ['an error of the server', 500, '{"ok":false,"error_code":500,"description":"Internal"}'],
  ['success of a broken server', 502, '{"ok":true,"result":{}}'],
  ['an error without a code, that is none', 302, '{"ok":false}'],
  ['a limit that cannot be read', 429, 'slow down'],
])('unknown: %s', (_, status, body) => expect(answered(status, body).type).toBe('unknown'));

test('a call that was not sent is certain, one without an answer is not', () => {
  expect(verdictOf({ type: 'not_sent', problem: 'p' })).toEqual({ type: 'not_sent', reason: 'p' });
  expect(verdictOf({ type: 'unknown', problem: 'p' })).toEqual({ type: 'unknown', reason: 'p' });
});

test('reasons can be stored, whatever the platform says', () => {
  const reason = (description: string) => (error(400, description) as { reason: string }).reason;
  expect(reason('a\0b')).toBe('a\ufffdb');
  expect(reason(`${'x'.repeat(499)}😀`)).toBe(`${'x'.repeat(499)}\ufffd`);
});

test('nothing that is answered goes back to the queue but a limit and a refused token', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), fc.json(), (status, body) => {
      const { type } = answered(status, body);
      const isTold = body.includes('"ok"');
      expect(type === 'not_sent').toBe(false);
      if (!isTold) expect(type).toBe('unknown');
    }),
  );
});
