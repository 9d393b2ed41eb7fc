import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import type { z } from 'zod';
import type { eventsAnswer, resourcesAnswer } from '../src/api/reports/schemas.ts';
import type { BenchService } from './service.ts';

type Asked = Pick<BenchService, 'address' | 'apiKey'>;

/** The answer to a POST, or without a body to a GET. @throws when it is not one of success */
export async function ask<Answer>(service: Asked, path: string, body?: unknown): Promise<Answer> {
  return read(path, await send(service, path, body));
}

/** Like {@link ask}, and again for as long as the service says 503: nothing was done, and a busy machine may say so. */
export async function askPatiently<Answer>(service: Asked, path: string, body?: unknown): Promise<Answer> {
  for (;;) {
    const response = await send(service, path, body);
    if (response.statusCode !== 503) return read(path, response);
    await response.body.dump();
    await sleep(1000);
  }
}

/** The public key of the bot that the service's key is for. */
export async function botOf(service: Asked): Promise<string> {
  const { data } = await ask<z.infer<typeof resourcesAnswer>>(service, '/v1/reports/resources');
  return data.items[0]!.resource_key;
}

/** undefined: no such event is known yet. */
export async function eventIdOf(service: Asked, name: string): Promise<number | undefined> {
  const { data } = await ask<z.infer<typeof eventsAnswer>>(service, '/v1/reports/events');
  return data.items.find((event) => event.name === name)?.event_id;
}

/** By `request`, since `fetch` takes a millisecond of its own. */
function send({ address, apiKey }: Asked, path: string, body: unknown): Promise<Dispatcher.ResponseData> {
  const headers = { 'content-type': 'application/json', 'api-key': apiKey };
  if (body === undefined) return request(address + path, { headers });
  return request(address + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function read<Answer>(path: string, { statusCode, body }: Dispatcher.ResponseData): Promise<Answer> {
  if (statusCode >= 300) throw new Error(`${path} answered ${statusCode}: ${await body.text()}`);
  return (await body.json()) as Answer;
}
