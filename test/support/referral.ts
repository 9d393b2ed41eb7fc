import { randomUUID } from 'node:crypto';
import { pause } from '../../src/util/pause.ts';
import type { Answer, TestBot, TestService } from './service.ts';

/** Requests of a bot's owner to the referral program. */
export interface ReferralCaller {
  /** Sends `/start <code>` of a user at `date` (ms UTC, whole seconds), as one update. */
  visit(userId: number, code: string, date?: number): Promise<void>;
  /** Sends another message of a user and so makes the user known. */
  message(userId: number): Promise<void>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Returns the data of an answer, whose status must be 200. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  data(path: string, body?: unknown, headers?: Record<string, string>): Promise<any>;
  codeFor(userId: number): Promise<string>;
  referralsOf(userId: number): Promise<{ referral_id: number; date: string }[]>;
}

let updates = 0;

/**
 * @param patient repeats a request after a 503 (it promises that nothing was done), and after a 500 of a request with
 * an Idempotency-Key: a busy machine may answer so
 */
export function referralCaller(service: TestService, bot: TestBot, patient = true): ReferralCaller {
  const key = { 'api-key': bot.apiKey };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    answered(() => service.post(`/v1/referral/${path}`, body, { ...key, ...headers }), patient ? headers : null);
  const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    answered(() => service.get(`/v1/referral/${path}`, { ...key, ...headers }), patient ? headers : null);
  async function send(userId: number, text: string, date: number): Promise<void> {
    const update = message(userId, text, date);
    const ask = () => service.post('/v1/send-update', { update }, key);
    const { status, body } = await answered(ask, patient ? {} : null);
    if (status !== 200) throw new Error(`send-update: ${status} ${JSON.stringify(body)}`);
  }
  async function data(path: string, body?: unknown, headers: Record<string, string> = {}) {
    const answer = body === undefined ? await get(path, headers) : await post(path, body, headers);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }
  return {
    visit: (userId, code, date = Date.now()) => send(userId, `/start ${code}`, date),
    message: (userId) => send(userId, 'hello', Date.now()),
    post,
    get,
    data,
    codeFor: async (userId) => (await data('create-code', { user_id: userId }, onceOnly())).code,
    referralsOf: async (userId) => (await data(`referrals?user_id=${userId}&limit=200`)).referrals,
  };
}

const onceOnly = () => ({ 'idempotency-key': randomUUID() });

/** @param headers null: does not repeat the request */
async function answered(ask: () => Promise<Answer>, headers: Record<string, string> | null): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    const unknown = answer.status === 500 && headers !== null && 'idempotency-key' in headers;
    if (headers === null || (answer.status !== 503 && !unknown)) return answer;
    await pause(Number(answer.headers.get('retry-after') ?? 0) * 1000);
  }
}

function message(userId: number, text: string, date: number): object {
  const entities = text.startsWith('/') ? [{ type: 'bot_command', offset: 0, length: 6 }] : [];
  const from = { id: userId, is_bot: false, first_name: `User ${userId}` };
  const chat = { id: userId, type: 'private' };
  const update_id = ++updates;
  return { update_id, message: { message_id: update_id, date: Math.floor(date / 1000), chat, from, text, entities } };
}
