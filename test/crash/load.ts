import { randomUUID } from 'node:crypto';

/** What became of the events that were sent, each named by its `value_str`. */
export interface Sent {
  /** Answered with 200. */
  readonly acknowledged: string[];
  /** Answered with a refusal: certainly not in the log. */
  readonly refused: string[];
  /** No answer, or 500: in the log once or not at all. */
  readonly unknown: string[];
}

export interface Load {
  /** Stops sending, waits for the answers and tells. */
  stop(): Promise<Sent>;
}

const SENDERS = 4;
const PAUSE_MS = 25;
export const FIRST_USER = 1000;
export const USERS = 20;

/**
 * Sends events of known users, some in arrays, some late, until it is stopped. A third of the requests carries an
 * Idempotency-Key and is repeated until it is answered with 200, as a careful client does.
 */
export function startLoad(address: string, apiKey: string): Load {
  const sent: Sent = { acknowledged: [], refused: [], unknown: [] };
  let stopping = false;
  const senders = Array.from({ length: SENDERS }, async (_, sender) => {
    for (let round = 0; !stopping; round++) {
      const careful = round % 3 === 0;
      await sendOnce(address, apiKey, sender, round, sent, careful, () => stopping);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  });
  return {
    async stop() {
      stopping = true;
      await Promise.all(senders);
      return sent;
    },
  };
}

async function sendOnce(
  address: string,
  apiKey: string,
  sender: number,
  round: number,
  sent: Sent,
  careful: boolean,
  stopping: () => boolean,
): Promise<void> {
  const events = Array.from({ length: 1 + (round % 3) }, (_, i) => ({
    event: `event_${round % 5}`,
    user_id: FIRST_USER + ((sender * 7 + round + i) % USERS),
    value_str: randomUUID(),
    ...(round % 4 === 0 ? { date: new Date(Date.now() - (round % 50) * 60_000).toISOString() } : {}),
  }));
  const tokens = events.map((event) => event.value_str);
  const headers = {
    'content-type': 'application/json',
    'api-key': apiKey,
    ...(careful ? { 'idempotency-key': tokens[0]! } : {}),
  };
  for (let tries = 0; ; tries++) {
    const status = await post(`${address}/v1/send-event`, headers, JSON.stringify(events));
    if (status === 200) return void sent.acknowledged.push(...tokens);
    const known = status !== null && status !== 500;
    if (!careful) return void (known ? sent.refused : sent.unknown).push(...tokens);
    if (stopping() && tries > 400) return void sent.unknown.push(...tokens);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2));
  }
}

/** The status of the answer, or null when there was none. */
async function post(url: string, headers: Record<string, string>, body: string): Promise<number | null> {
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null; // the connection was refused or cut: which of the two, nobody can tell
  }
}
