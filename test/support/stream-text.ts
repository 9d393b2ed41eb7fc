import { openEventStoreClient } from '../../src/log/eventstore/eventstore-client.ts';

/** All events of a stream of EventStoreDB, as text. */
export async function streamText(url: string, stream: string): Promise<string> {
  const client = openEventStoreClient(url);
  try {
    const events = await client.read(stream, 0, Number.MAX_SAFE_INTEGER);
    return events.map(({ data }) => Buffer.from(data as Uint8Array).toString()).join('\n');
  } finally {
    await client.close();
  }
}
