import { expect, test } from 'vitest';
import { extendRuns, hasLongRun, type RefusalRuns } from '../../../src/domain/broadcast/sending.ts';
import { isOfMessage, refusalKey, verdictOf } from '../../../src/domain/broadcast/sending-answer.ts';
import { REFUSALS_OF_MESSAGE } from '../../support/refusals.ts';

const OF_RECIPIENT = [
  'Bad Request: chat not found',
  'Bad Request: user not found',
  'Bad Request: user is deactivated',
  'Bad Request: PEER_ID_INVALID',
  'Bad Request: USER_IS_BLOCKED',
  'Bad Request: INPUT_USER_DEACTIVATED',
  'Bad Request: CHAT_WRITE_FORBIDDEN',
  'Bad Request: not enough rights to send text messages to the chat',
  'Bad Request: have no rights to send a message',
  'Bad Request: need administrator rights in the channel chat',
  'Bad Request: group chat was upgraded to a supergroup chat',
  'Bad Request: message thread not found',
  'Bad Request: TOPIC_CLOSED',
  'Bad Request: VOICE_MESSAGES_FORBIDDEN',
  'Bad Request: failed to send message #1 with the error message "CHAT_SEND_PHOTOS_FORBIDDEN"',
  'Bad Request',
];
const ofMessage = (error_code: number, description: string) =>
  verdictOf({ type: 'answered', status: error_code, body: JSON.stringify({ ok: false, error_code, description }) });

test.each(REFUSALS_OF_MESSAGE)('a 400 that names no chat and no user is of the message: %s', (description) => {
  expect(ofMessage(400, description)).toMatchObject({ type: 'refused', ofMessage: true });
  expect(ofMessage(403, description)).toMatchObject({ type: 'refused', ofMessage: false });
});

test.each(OF_RECIPIENT)('a 400 that names a chat or a user is of the recipient: %s', (description) => {
  expect(ofMessage(400, description)).toMatchObject({ type: 'refused', ofMessage: false });
  expect(isOfMessage(description)).toBe(false);
});

test('refusals are equal but for album numbers, quoted texts and positions', () => {
  const first = 'Bad Request: failed to send message #1 with the error message "WEBPAGE_MEDIA_EMPTY"';
  expect(refusalKey(first)).toBe(refusalKey('Bad Request: WEBPAGE_MEDIA_EMPTY'));
  const tag = (name: string, at: number) =>
    `Bad Request: can't parse entities: Unsupported tag "${name}" at offset ${at}`;
  expect(refusalKey(tag('a', 5))).toBe(refusalKey(tag('b', 17)));
  expect(refusalKey(tag('a', 5))).not.toBe(refusalKey('Bad Request: WEBPAGE_CURL_FAILED'));
});

test('ten equal refusals of the message are a long run before a delivery, a hundred after one', () => {
  const runs: RefusalRuns = new Map();
  const refuse = (reason: string, count: number) =>
    extendRuns(runs, [{ outcome: 'not_delivered', reason, of_message: true, recipients: [[0, count - 1]] }]);
  refuse('Bad Request: WEBPAGE_CURL_FAILED', 9);
  refuse('Bad Request: WEBPAGE_MEDIA_EMPTY', 9);
  extendRuns(runs, [{ outcome: 'not_delivered', reason: 'Bad Request: chat not found', recipients: [[0, 50]] }]);
  expect(hasLongRun(runs)).toBe(false);
  refuse('Bad Request: WEBPAGE_MEDIA_EMPTY', 1);
  expect(hasLongRun(runs)).toBe(true);
  extendRuns(runs, [{ outcome: 'delivered', reason: null, recipients: [[0, 0]] }]);
  refuse('Bad Request: WEBPAGE_MEDIA_EMPTY', 99);
  expect(hasLongRun(runs)).toBe(false);
  refuse('Bad Request: WEBPAGE_MEDIA_EMPTY', 1);
  expect(hasLongRun(runs)).toBe(true);
});

test('a delivery of another variant does not end a run', () => {
  const runs: RefusalRuns = new Map();
  const reason = 'Bad Request: WEBPAGE_CURL_FAILED';
  for (let place = 0; place < 10; place++) {
    expect(hasLongRun(runs)).toBe(false);
    extendRuns(runs, [
      { outcome: 'delivered', reason: null, variant: 1, recipients: [[100 + place, 100 + place]] },
      { outcome: 'not_delivered', reason, of_message: true, variant: 0, recipients: [[place, place]] },
    ]);
  }
  expect(hasLongRun(runs)).toBe(true);
});

test('equal refusals of all variants count together until one of them is delivered', () => {
  const runs: RefusalRuns = new Map();
  const reason = 'Bad Request: WEBPAGE_CURL_FAILED';
  const refuse = (variant: number, count: number) =>
    extendRuns(runs, [{ outcome: 'not_delivered', reason, of_message: true, variant, recipients: [[0, count - 1]] }]);
  refuse(0, 5);
  refuse(1, 4);
  expect(hasLongRun(runs)).toBe(false);
  refuse(1, 1);
  expect(hasLongRun(runs)).toBe(true);
  extendRuns(runs, [{ outcome: 'delivered', reason: null, variant: 1, recipients: [[9, 9]] }]);
  expect(hasLongRun(runs)).toBe(false);
});
