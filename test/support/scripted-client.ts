import { type Client, type ClientOptions, createClient } from '@botledger/client';

/** A request as a client sent it. */
interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

/** An answer, an error of the network, or a promise of one of them. */
type Scripted = Answering | Error | Promise<Answering | Error>;
interface Answering {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent unchanged. */
  readonly body?: unknown;
}

export interface ScriptedClient {
  readonly client: Client;
  readonly sent: readonly Sent[];
  /** How long it waited, milliseconds: each wait ends at once, and moves the clock. */
  readonly waits: readonly number[];
  /** Adds answers for the next requests, in order. */
  answer(...answers: readonly Scripted[]): void;
}

/** A client without a network and without time: requests get scripted answers, and `{"ok": true}` after the last one. */
export function scriptedClient(options: Partial<ClientOptions> = {}): ScriptedClient {
  const sent: Sent[] = [];
  const waits: number[] = [];
  const answers: Scripted[] = [];
  let now = Date.UTC(2026, 0, 15);
  let keys = 0;
  const client = createClient({
    baseUrl: 'http://service.test',
    apiKey: 'bot:secret',
    async fetch(request) {
      const { method, url, headers } = request;
      sent.push({ method, url, headers, body: await request.text() });
      const answer = await (answers.shift() ?? { body: { ok: true } });
      if (answer instanceof Error) throw answer;
      const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      return new Response(body, {
        status: answer.status ?? 200,
        headers: { 'content-type': 'application/json; charset=utf-8', ...answer.headers },
      });
    },
    async sleep(ms) {
      waits.push(ms);
      now += ms;
    },
    random: () => 0.5,
    newKey: () => `key ${++keys}`,
    now: () => now,
    ...options,
  });
  return { client, sent, waits, answer: (...more) => void answers.push(...more) };
}

/** An answer that is no success. */
export function refusal(
  status: number,
  error: unknown,
  more: { headers?: Record<string, string>; details?: object[] } = {},
) {
  const { headers = {}, details } = more;
  return { status, headers, body: { ok: false, error, error_code: status, ...(details && { details }) } };
}
