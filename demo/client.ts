import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** The service's API with one key. */
export interface Client {
  /** The answer's body. @throws Error with the service's message if it refuses the request */
  post(path: string, body: unknown): Promise<Answer>;
  get(path: string): Promise<Answer>;
}

interface Answer {
  readonly ok: true;
  readonly data?: unknown;
}

const TRIES = 30;

/** Waits and retries where the service asks for it: 429, 503, and an unknown outcome, with the same Idempotency-Key. */
export function createClient(address: string, apiKey: string): Client {
  async function request(path: string, init: RequestInit): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const response = await fetch(`${address}/v1/${path}`, init);
      if (response.ok) return (await response.json()) as Answer;
      const text = await response.text();
      const mayTryAgain = [429, 503].includes(response.status) || text.includes('outcome unknown');
      if (!mayTryAgain || tries === TRIES) throw new Error(`${path} answered ${response.status}: ${text}`);
      await pause(1000 * Number(response.headers.get('retry-after') ?? 1));
    }
  }
  const headers = { 'api-key': apiKey };
  return {
    post: (path, body) =>
      request(path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
        body: JSON.stringify(body),
      }),
    get: (path) => request(path, { headers }),
  };
}
