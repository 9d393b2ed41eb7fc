import { beforeEach, expect, test } from 'vitest';
import { PLACE } from '../../../src/domain/broadcast/sending.ts';
import type { Answer } from '../../../src/domain/broadcast/sending-answer.ts';
import { prepareMessage } from '../../../src/domain/broadcast/sending-message.ts';
import { TemplateError } from '../../../src/domain/broadcast/template.ts';
import type { NewCommit } from '../../../src/log/port.ts';
import type { Failure } from '../../../src/processes/broadcasts/failure.ts';
import { createLane } from '../../../src/processes/broadcasts/lane.ts';
import type { LaunchOptions } from '../../../src/processes/broadcasts/launch-options.ts';
import type { SendingLedger } from '../../../src/processes/broadcasts/ledger.ts';
import { createLimiter } from '../../../src/processes/broadcasts/limiter.ts';
import { createSlots } from '../../../src/processes/broadcasts/slots.ts';
import { pause } from '../../../src/util/pause.ts';
import { CHATS, DONE, ledgerOf, sendOnce } from '../../support/launch.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';

/** What nobody expected, while a broadcast is sent: a mistake of the service, or an error that has no name here. */

let log: MemoryLog;
/** Every call that was written, by chat. */
let called: number[];
/** Replaced by a test: what comes of a call. */
let answer: (chat: number, written: () => void) => Promise<Answer>;
let failure: Failure;
/** What those who run the service are told. */
let told: (string | null)[];

beforeEach(() => {
  told = [];
  let isFailing = false;
  failure = {
    get isFailing() {
      return isFailing;
    },
    failed(error) {
      isFailing = true;
      told.push(String(error));
      return 5;
    },
    mended() {
      isFailing = false;
      told.push(null);
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
function send(changes: Partial<LaunchOptions> = {}): Promise<SendingLedger> {
  const noted = (chat: number, written: () => void) =>
    answer(chat, () => {
      called.push(chat);
      written();
    });
  return sendOnce({ log, failure, answer: noted }, changes);
}

function countOf({ state }: SendingLedger, place: number): number {
  return CHATS.filter((_, i) => state.places[i] === place).length;
}

/** Sent again, everybody has the message, and was called once. */
async function expectSentOnce(): Promise<void> {
  const ledger = await send();
  expect(told.at(-1)).toBe(null);
  expect(countOf(ledger, PLACE.delivered)).toBe(CHATS.length);
  expect(called.toSorted((a, b) => a - b)).toEqual(CHATS);
}

test('recipients that cannot be looked up go back', async () => {
  let asked = 0;
  const usersOf = async () => {
    if (++asked === 2) throw new Error('relation "users_1.users" does not exist');
    return new Map();
  };
  const { state } = await send({ usersOf });
  expect(state.claims.size).toBe(0);
  await expectSentOnce();
});

test('who was erased since the audience was frozen is not called', async () => {
  const usersOf = async () => new Map([[3, { status: 'erased' as const, fields: {} }]]);
  const ledger = await send({ usersOf });
  expect(called).not.toContain(3);
  expect(ledger.state.places[2]).toBe(PLACE.not_delivered);
  expect(countOf(ledger, PLACE.delivered)).toBe(CHATS.length - 1);
});

test('what the platform answers after the failure is noted, and nobody else is called', async () => {
  answer = async (_, written) => {
    written();
    await pause(300);
    return DONE;
  };
  const isSending = async () => {
    if (called.length > 0) throw new Error('the stream was tampered with');
    return true;
  };
  const ledger = await send({ isSending });
  expect(called.length).toBeGreaterThan(0);
  expect(called.length).toBeLessThan(CHATS.length);
  expect(countOf(ledger, PLACE.delivered)).toBe(called.length);
  expect(ledger.state.claims.size).toBe(0);
  await expectSentOnce();
});

test('outcomes that cannot be written are kept until they can', async () => {
  const { append } = log;
  let refusals = 0;
  log.append = async (commit: NewCommit) => {
    if (called.length > 0 && refusals++ < 3) throw new Error('cannot execute INSERT in a read-only transaction');
    return append(commit);
  };
  const ledger = await send();
  expect(told).toHaveLength(3);
  expect(countOf(ledger, PLACE.unknown)).toBe(0);
  expect(countOf(ledger, PLACE.delivered)).toBe(called.length);
  await expectSentOnce();
});

test('stopped and launched again at once, it stays within its own cap', async () => {
  let ahead = 0;
  const elapsed = () => performance.now() + ahead;
  const stop = new AbortController();
  const lane = createLane(createSlots(10), 10, elapsed, stop.signal);
  lane.add({ limiter: createLimiter(30, 0), units: () => 0, begin() {}, rest() {} }); // the bot has another one
  ahead = 2000;
  const times: number[] = [];
  answer = async (_, written) => {
    written();
    times.push(elapsed());
    return DONE;
  };
  for (const count of [1, 2]) await send({ lane, elapsed, cap: 1, isSending: async () => times.length < count });
  stop.abort();
  expect(times[1]! - times[0]!).toBeGreaterThan(980);
});

test('nobody is claimed before the first rest is over, and so given back as if sending were slow', async () => {
  const elapsed = () => performance.now();
  const lane = createLane(createSlots(10), 10, elapsed, new AbortController().signal);
  const chats = CHATS.slice(0, 6);
  await send({ lane, elapsed, chats, cap: 5 });
  expect(called).toEqual(chats);
  const written = JSON.stringify(log.commits);
  expect(written).toContain('delivered');
  expect(written).not.toContain('returned');
});

test('who waits long for a turn is claimed once, and is the only one', async () => {
  let ahead = 0;
  const elapsed = () => performance.now() + ahead;
  const stop = new AbortController();
  const lane = createLane(createSlots(10), 10, elapsed, stop.signal);
  lane.rest(20_000);
  const sending = send({ lane, elapsed, isSending: async () => !stop.signal.aborted });
  for (let second = 0; second < 10; second++) {
    await pause(150);
    ahead += 1100;
  }
  const { state } = await ledgerOf(log);
  const claims = state.lastClaim;
  stop.abort();
  await sending;
  expect([...state.claims.values()].map(({ open }) => open.size)).toEqual([1]);
  expect(claims).toBeLessThan(4);
  expect(called).toEqual([]);
});

test('recipients whose template fails are not called, and keep no place from the others', async () => {
  const message = prepareMessage('sendMessage', { text: 'Hello' }, false);
  const parameters = () => {
    throw new TemplateError('it takes too long');
  };
  const refused = await send({ message: { ...message, parameters } });
  expect(called).toEqual([]);
  expect(countOf(refused, PLACE.not_delivered)).toBe(CHATS.length);
});

test('a message that cannot be made is sent to nobody', async () => {
  const message = prepareMessage('sendMessage', { text: 'Hello' }, false);
  const parameters = () => {
    throw new TypeError('a mistake');
  };
  const ledger = await send({ message: { ...message, parameters } });
  expect(called).toEqual([]);
  expect(ledger.state).toMatchObject({ attempted: 0 });
  expect(ledger.state.claims.size).toBe(0);
  await expectSentOnce();
});

test('a render that fails for a reason of the service gives the recipient back', async () => {
  const message = prepareMessage('sendMessage', { text: 'Hello {{ user.first_name }}' }, false);
  const broken = {
    get first_name(): string {
      throw new TypeError('a mistake');
    },
  };
  const usersOf = async (chats: readonly number[]) =>
    new Map(chats.map((chat) => [chat, { status: 'active' as const, fields: chat === 3 ? broken : {} }]));
  const ledger = await send({ message, usersOf });
  expect(ledger.state.places[2]).toBe(PLACE.waiting);
  expect(told).toEqual(['TypeError: a mistake']);
  await expectSentOnce();
});

test('a mistake after the answer leaves the outcome as the platform told it', async () => {
  const message = prepareMessage('sendMessage', { text: 'Hello' }, false);
  const filesOf = () => {
    throw new TypeError('a mistake');
  };
  const ledger = await send({ message: { ...message, filesOf } });
  expect(countOf(ledger, PLACE.unknown)).toBe(0);
  expect(countOf(ledger, PLACE.delivered)).toBe(called.length);
  expect(told).toEqual(['TypeError: a mistake']);
  await expectSentOnce();
});

test('a chat that has become another is given back when the second call is never written', async () => {
  const migrated = '{"ok":false,"error_code":400,"description":"upgraded","parameters":{"migrate_to_chat_id":-1001}}';
  answer = async (chat, written) => {
    if (chat === -1001) throw new TypeError('a mistake before the call');
    written();
    return { type: 'answered', status: 400, body: migrated };
  };
  const ledger = await send({ chats: CHATS.slice(0, 1) });
  expect(ledger.state.places[0]).toBe(PLACE.waiting);
  expect(told).toEqual(['TypeError: a mistake before the call']);
});

test('a call that fails by mistake is unknown if it was written, and goes back if it was not', async () => {
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
  expect(countOf(after, PLACE.unknown), 'after a failure one recipient tries').toBe(1);
  expect(told).toEqual(['TypeError: a mistake before the call', 'TypeError: a mistake after the call']);
});
