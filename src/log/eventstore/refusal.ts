import { readFile } from 'node:fs/promises';
import { askForTls } from '../tls-probe.ts';
import { refusedRights } from './client.ts';
import { type EventStoreAddress, parseEventStoreUrl } from './engine.ts';

/** Finds why a server refuses, and what to write into EVENTSTORE_URL. Null: it does not answer. @param error of the first call */
export async function refusalOf(error: unknown, url: string): Promise<string | null> {
  const address = parseEventStoreUrl(url);
  const rights = refusedRights(error);
  if (rights !== null && !address.hasUser)
    return 'EventStoreDB wants a user and a password: write esdb://user:password@host:port';
  if (rights === 'unknown') return 'EventStoreDB does not accept the user or the password';
  if (rights === 'denied')
    return 'the user of EVENTSTORE_URL may not read the stream: give it read and write access, and read access to $all';
  return refusedTls(address);
}

async function refusedTls({ servers, tls, caFile }: EventStoreAddress): Promise<string | null> {
  const ca = tls && caFile !== undefined ? await readFile(caFile).catch(() => undefined) : undefined;
  for (const server of servers) {
    const at = `${server.host}:${server.port}`;
    const answer = await askForTls(server, ca);
    if (answer === 'silent') continue;
    if (!tls) {
      if (answer !== 'plain') return `the server at ${at} speaks TLS alone: write tls=true`;
    } else if (answer === 'plain') return `the server at ${at} does not speak TLS: write tls=false`;
    else if (answer !== 'trusted')
      return `the certificate of ${at} is not trusted (${answer.untrusted}): write tlsCAFile=<file with the certificate of its authority>`;
  }
  return null;
}
