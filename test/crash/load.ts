import { randomUUID } from 'node:crypto';
import type { LogEvent } from '../../src/log/port.ts';
import { pause } from '../../src/util/pause.ts';

/** The results of the sent elements. Each element has a token that {@link tokensOf} finds in the log. */
export interface Outcomes {
  /** Answered with 200. */
  readonly acknowledged: string[];
  /** Refused: certainly not in the log. */
  readonly refused: string[];
  /** No answer, or 500: in the log once or not at all. */
  readonly unknown: string[];
}

export interface Sent extends Outcomes {
  /**
   * How long the answers with 200 took, in milliseconds: of requests without an Idempotency-Key, and of requests with
   * one.
   */
  readonly answersMs: number[];
  readonly keyedAnswersMs: number[];
}

export interface Load {
  /** The results until now. */
  readonly sent: Sent;
  /** Stops sending, waits for the answers and returns the results. */
  stop(): Promise<Sent>;
}

const SENDERS = 4;
const PAUSE_MS = 25;
/** A request waits at most MAX_WAIT_MS for the log; this bound also covers every other wait. */
const ANSWER_WITHIN_MS = 10_000;
export const FIRST_USER = 1000;
export const USERS = 20;

interface Request {
  readonly path: string;
  readonly body: readonly object[];
  readonly tokens: readonly string[];
}

/**
 * Sends events, goals and updates of known users until it is stopped: some in arrays, some late, some under new names. A
 * third of the requests carries an Idempotency-Key and is repeated until the answer is 200, as a careful client does.
 */
export function startLoad(address: string, apiKey: string, count = SENDERS): Load {
  const sent: Sent = { acknowledged: [], refused: [], unknown: [], answersMs: [], keyedAnswersMs: [] };
  const stopping = new AbortController();
  const senders = Array.from({ length: count }, async (_, sender) => {
    for (let round = 0; !stopping.signal.aborted; round++) {
      const request = KINDS[round % KINDS.length]!(sender, round);
      await send(address, apiKey, request, round % 3 === 0, sent, stopping.signal);
      await pause(PAUSE_MS);
    }
  });
  return {
    sent,
    async stop() {
      stopping.abort();
      await Promise.all(senders);
      return sent;
    },
  };
}

const userOf = (sender: number, n: number): number => FIRST_USER + ((sender * 7 + n) % USERS);

function customEvents(sender: number, round: number): Request {
  const tokens = tokensFor(round);
  const body = tokens.map((value_str, i) => ({
    event: round % 10 === 0 ? `name ${value_str}` : `event_${round % 5}`,
    user_id: userOf(sender, round + i),
    value_str,
    ...(round % 4 === 0 ? { date: new Date(Date.now() - (round % 50) * 60_000).toISOString() } : {}),
  }));
  return { path: '/v1/send-event', body, tokens };
}

function targetEvents(sender: number, round: number): Request {
  const tokens = tokensFor(round);
  const body = tokens.map((event_key, i) => ({
    target_id: 1,
    user_id: userOf(sender, round + i),
    value: round + 0.5,
    unit: 'USD',
    event_key,
  }));
  return { path: '/v1/send-target', body, tokens };
}

/** Update ids above the ids of the users' first messages. */
let lastUpdate = USERS;

function updates(sender: number, round: number): Request {
  const ids = tokensFor(round).map(() => ++lastUpdate);
  const body = ids.map((update_id, i) => {
    const id = userOf(sender, round + i);
    const from = { id, is_bot: false, first_name: `U${round}` };
    const date = Math.floor(Date.now() / 1000) - (round % 60);
    return { update: { update_id, message: { message_id: 1, date, chat: { id, type: 'private' }, from } } };
  });
  return { path: '/v1/send-batch-update', body, tokens: ids.map(String) };
}

const KINDS = [customEvents, customEvents, targetEvents, customEvents, updates] as const;

function tokensFor(round: number): string[] {
  return Array.from({ length: 1 + (round % 3) }, () => randomUUID());
}

/** The tokens in an event of the log. */
export function tokensOf({ data }: LogEvent): string[] {
  const { items = [] } = data as { items?: { value_str?: string; event_key?: string; update_id?: number }[] };
  return items.flatMap(({ value_str, event_key, update_id }) => {
    const token = value_str ?? event_key ?? update_id;
    return token === undefined ? [] : [String(token)];
  });
}

async function send(
  address: string,
  apiKey: string,
  { path, body, tokens }: Request,
  careful: boolean,
  sent: Sent,
  stopping: AbortSignal,
): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'api-key': apiKey,
    ...(careful ? { 'idempotency-key': tokens[0]! } : {}),
  };
  for (let tries = 0; ; tries++) {
    const begun = performance.now();
    const status = await post(address + path, headers, JSON.stringify(body));
    if (status === 200) (careful ? sent.keyedAnswersMs : sent.answersMs).push(performance.now() - begun);
    if (status === 200) return void sent.acknowledged.push(...tokens);
    if (!careful) {
      const known = status !== null && status !== 500;
      return void (known ? sent.refused : sent.unknown).push(...tokens);
    }
    if (stopping.aborted && tries > 400) return void sent.unknown.push(...tokens);
    await pause(PAUSE_MS * 2);
  }
}

/** The status of the answer, or null if there was none. */
async function post(url: string, headers: Record<string, string>, body: string): Promise<number | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await fetch(url, { method: 'POST', headers, body, signal });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null; // the connection was refused or cut; it is unknown which
  }
}
