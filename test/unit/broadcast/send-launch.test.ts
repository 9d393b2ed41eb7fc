import { beforeEach, expect, test } from 'vitest';
import { PLACE } from '../../../src/domain/broadcast/sending.ts';
import type { Answer } from '../../../src/domain/broadcast/sending-answer.ts';
import { prepareMessage } from '../../../src/domain/broadcast/sending-message.ts';
import { TemplateError } from '../../../src/domain/broadcast/template.ts';
import type { NewCommit } from '../../../src/log/port.ts';
import { createConnections } from '../../../src/processes/broadcasts/connections.ts';
import type { Failures } from '../../../src/processes/broadcasts/failures.ts';
import { createLimiter } from '../../../src/processes/broadcasts/limiter.ts';
import type { LaunchOptions } from '../../../src/processes/broadcasts/send-launch.ts';
import { SendQueue } from '../../../src/processes/broadcasts/send-queue.ts';
import type { SendingWriter } from '../../../src/processes/broadcasts/stream-writer.ts';
import { pause } from '../../../src/util/pause.ts';
import { CHATS, DONE, onlyMessage, sendOnce, writerOf } from '../../support/launch.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';

/** Unexpected errors while a broadcast is sent: a bug of the service, or an error of the database. */

let log: MemoryLog;
/** The chat of each call that was written. */
let called: number[];
/** The platform's answer to a call; tests replace it. */
let answer: (chat: number, written: () => void) => Promise<Answer>;
let failures: Failures;
/** Failures as operators see them; null: it works again. */
let reported: (string | null)[];

beforeEach(() => {
  reported = [];
  let isFailing = false;
  failures = {
    get isFailing() {
      return isFailing;
    },
    failed(error) {
      isFailing = true;
      reported.push(String(error));
      return 5;
    },
    recovered() {
      isFailing = false;
      reported.push(null);
    },
  };
  log = memoryLog();
  called = [];
  answer = async (_, written) => {
    written();
    return DONE;
  };
});

/** Sends until it ends or fails, as one run of the process does. */
function send(changes: Partial<LaunchOptions> = {}, stop = new AbortController()): Promise<SendingWriter> {
  const noted = (chat: number, written: () => void) =>
    answer(chat, () => {
      called.push(chat);
      written();
    });
  return sendOnce({ log, failures, answer: noted, stop }, changes);
}

function countOf({ state }: SendingWriter, place: number): number {
  return CHATS.filter((_, i) => state.places[i] === place).length;
}

/** After the next run each recipient has the message and was called once. */
async function expectSentOnce(): Promise<void> {
  const writer = await send();
  expect(reported.at(-1)).toBe(null);
  expect(countOf(writer, PLACE.delivered)).toBe(CHATS.length);
  expect(called.toSorted((a, b) => a - b)).toEqual(CHATS);
}

test('releases recipients that it cannot look up', async () => {
  let asked = 0;
  const usersOf = async () => {
    if (++asked === 2) throw new Error('relation "users_1.users" does not exist');
    return new Map();
  };
  const { state } = await send({ usersOf });
  expect(state.claims.size).toBe(0);
  await expectSentOnce();
});

test('does not call a user who was erased after the audience was frozen', async () => {
  const usersOf = async () => new Map([[3, { status: 'erased' as const, fields: {} }]]);
  const writer = await send({ usersOf });
  expect(called).not.toContain(3);
  expect(writer.state.places[2]).toBe(PLACE.not_delivered);
  expect(countOf(writer, PLACE.delivered)).toBe(CHATS.length - 1);
});

test('records the answers that arrive after a failure, and calls no other recipient', async () => {
  answer = async (_, written) => {
    written();
    await pause(300);
    return DONE;
  };
  const isSending = async () => {
    if (called.length > 0) throw new Error('the stream was tampered with');
    return true;
  };
  const writer = await send({ isSending });
  expect(called.length).toBeGreaterThan(0);
  expect(called.length).toBeLessThan(CHATS.length);
  expect(countOf(writer, PLACE.delivered)).toBe(called.length);
  expect(writer.state.claims.size).toBe(0);
  await expectSentOnce();
});

test('keeps outcomes that it cannot append until it can', async () => {
  const { append } = log;
  let refusals = 0;
  log.append = async (commit: NewCommit) => {
    if (called.length > 0 && refusals++ < 3) throw new Error('cannot execute INSERT in a read-only transaction');
    return append(commit);
  };
  const writer = await send();
  expect(reported).toHaveLength(3);
  expect(countOf(writer, PLACE.unknown)).toBe(0);
  expect(countOf(writer, PLACE.delivered)).toBe(called.length);
  await expectSentOnce();
});

test('a launch that is stopped and resumed at once stays within its own cap', async () => {
  let ahead = 0;
  const elapsed = () => performance.now() + ahead;
  const stop = new AbortController();
  const queue = new SendQueue(createConnections(10), 10, elapsed, stop.signal);
  queue.add({ limiter: createLimiter(30, 0), units: () => 0, begin() {}, rest() {} }); // the bot has another one
  ahead = 2000;
  const times: number[] = [];
  answer = async (_, written) => {
    written();
    times.push(elapsed());
    return DONE;
  };
  for (const count of [1, 2]) await send({ queue, elapsed, cap: 1, isSending: async () => times.length < count });
  stop.abort();
  expect(times[1]! - times[0]!).toBeGreaterThan(980);
});

test('claims no recipient before the first rest is over, so releases none as if sending were slow', async () => {
  const elapsed = () => performance.now();
  const queue = new SendQueue(createConnections(10), 10, elapsed, new AbortController().signal);
  const chats = CHATS.slice(0, 6);
  await send({ queue, elapsed, chats, cap: 5 });
  expect(called).toEqual(chats);
  const written = JSON.stringify(log.commits);
  expect(written).toContain('delivered');
  expect(written).not.toContain('returned');
});

test('keeps one recipient claimed while it waits long for its turn, and claims no other', async () => {
  let ahead = 0;
  const elapsed = () => performance.now() + ahead;
  const stop = new AbortController();
  const queue = new SendQueue(createConnections(10), 10, elapsed, stop.signal);
  queue.rest(20_000);
  const sending = send({ queue, elapsed, isSending: async () => !stop.signal.aborted });
  for (let second = 0; second < 10; second++) {
    await pause(150);
    ahead += 1100;
  }
  const { state } = await writerOf(log);
  const claims = state.lastClaim;
  stop.abort();
  await sending;
  expect([...state.claims.values()].map(({ open }) => open.size)).toEqual([1]);
  expect(claims).toBeLessThan(4);
  expect(called).toEqual([]);
});

test('does not call recipients whose template fails, and frees their connections', async () => {
  const message = prepareMessage('sendMessage', { text: 'Hello' }, false);
  const parameters = () => {
    throw new TemplateError('it takes too long');
  };
  const refused = await send({ messages: onlyMessage({ ...message, parameters }) });
  expect(called).toEqual([]);
  expect(countOf(refused, PLACE.not_delivered)).toBe(CHATS.length);
});

test('sends nothing if no message can be made', async () => {
  const message = prepareMessage('sendMessage', { text: 'Hello' }, false);
  const parameters = () => {
    throw new TypeError('a mistake');
  };
  const writer = await send({ messages: onlyMessage({ ...message, parameters }) });
  expect(called).toEqual([]);
  expect(writer.state).toMatchObject({ attempted: 0 });
  expect(writer.state.claims.size).toBe(0);
  await expectSentOnce();
});

test('releases a recipient whose rendering fails because of a bug', async () => {
  const message = prepareMessage('sendMessage', { text: 'Hello {{ user.first_name }}' }, false);
  const broken = {
    get first_name(): string {
      throw new TypeError('a mistake');
    },
  };
  const usersOf = async (chats: readonly number[]) =>
    new Map(chats.map((chat) => [chat, { status: 'active' as const, fields: chat === 3 ? broken : {} }]));
  const writer = await send({ messages: onlyMessage(message), usersOf });
  expect(writer.state.places[2]).toBe(PLACE.waiting);
  expect(reported).toEqual(['TypeError: a mistake']);
  await expectSentOnce();
});

test('keeps the outcome that the platform answered if a bug follows', async () => {
  const message = prepareMessage('sendMessage', { text: 'Hello' }, false);
  const filesOf = () => {
    throw new TypeError('a mistake');
  };
  const writer = await send({ messages: onlyMessage({ ...message, filesOf }) });
  expect(countOf(writer, PLACE.unknown)).toBe(0);
  expect(countOf(writer, PLACE.delivered)).toBe(called.length);
  expect(reported).toEqual(['TypeError: a mistake']);
  await expectSentOnce();
});

test('releases a migrated chat if its second call is never written', async () => {
  const migrated = '{"ok":false,"error_code":400,"description":"upgraded","parameters":{"migrate_to_chat_id":-1001}}';
  answer = async (chat, written) => {
    if (chat === -1001) throw new TypeError('a mistake before the call');
    written();
    return { type: 'answered', status: 400, body: migrated };
  };
  const writer = await send({ chats: CHATS.slice(0, 1) });
  expect(writer.state.places[0]).toBe(PLACE.waiting);
  expect(reported).toEqual(['TypeError: a mistake before the call']);
});

test('a call that a bug breaks is unknown if it was written, and released if not', async () => {
  answer = async (chat, written) => {
    if (chat === 3) throw new TypeError('a mistake before the call');
    written();
    await pause(50);
    return DONE;
  };
  const before = await send();
  expect([before.state.claims.size, before.state.places[2]]).toEqual([0, PLACE.waiting]);
  expect(countOf(before, PLACE.delivered)).toBe(called.length);
  expect(before.state.paused).toEqual({ until: null, error: 'the service has failed and will try again' });

  answer = async (_, written) => {
    written();
    throw new TypeError('a mistake after the call');
  };
  const after = await send();
  expect(countOf(after, PLACE.unknown), 'after a failure one recipient is tried').toBe(1);
  expect(reported).toEqual(['TypeError: a mistake before the call', 'TypeError: a mistake after the call']);
});

/** The event loop must turn during the wait: an answer that never comes in would hang the whole thread. */
test('a service that stops records an answer that takes longer than its pauses', async () => {
  const stop = new AbortController();
  answer = async (_, written) => {
    written();
    setTimeout(() => stop.abort(), 50);
    await pause(600);
    return DONE;
  };
  const { state } = await send({ cap: 30 }, stop);
  expect(called.length).toBeGreaterThan(0);
  expect(state.attempted).toBe(called.length);
  expect(state.claims.size).toBe(0);
});
