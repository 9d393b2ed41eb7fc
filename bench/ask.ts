import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import type { z } from 'zod';
import type { eventsAnswer, resourcesAnswer } from '../src/api/reports/schemas.ts';

interface Asked {
  readonly address: string;
  readonly apiKey: string;
}

/**
 * The answer to a POST, or to a GET if there is no body. Repeats the request while the answer is 503, as clients do: a busy
 * service answers so, and did nothing.
 * @throws if the status is another failure
 */
export async function ask<Answer>(service: Asked, path: string, body?: unknown): Promise<Answer> {
  for (;;) {
    const response = await send(service, path, body);
    if (response.statusCode !== 503) return read(path, response);
    await response.body.dump();
    await sleep(Number(response.headers['retry-after'] ?? 1) * 1000);
  }
}

/** The public key of the bot that the service's key is for. */
export async function botOf(service: Asked): Promise<string> {
  const { data } = await ask<z.infer<typeof resourcesAnswer>>(service, '/v1/reports/resources');
  return data.items[0]!.resource_key;
}

/** undefined if the event is not known yet. */
export async function eventIdOf(service: Asked, name: string): Promise<number | undefined> {
  return (await eventOf(service, name))?.event_id;
}

/** How many events of the name are counted. */
export async function countOf(service: Asked, name: string): Promise<number> {
  return (await eventOf(service, name))?.count ?? 0;
}

async function eventOf(service: Asked, name: string) {
  const { data } = await ask<z.infer<typeof eventsAnswer>>(service, '/v1/reports/events');
  return data.items.find((event) => event.name === name);
}

/** Uses `request`, since `fetch` by itself takes a millisecond. */
function send({ address, apiKey }: Asked, path: string, body: unknown): Promise<Dispatcher.ResponseData> {
  const headers = { 'content-type': 'application/json', 'api-key': apiKey };
  if (body === undefined) return request(address + path, { headers });
  return request(address + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function read<Answer>(path: string, { statusCode, body }: Dispatcher.ResponseData): Promise<Answer> {
  if (statusCode >= 300) throw new Error(`${path} answered ${statusCode}: ${await body.text()}`);
  return (await body.json()) as Answer;
}
