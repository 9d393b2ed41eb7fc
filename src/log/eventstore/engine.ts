import { z } from 'zod';
import { type Address, addressOf, defineEngine } from '../engine.ts';

const DEFAULT_PORT = 2113;

/** The parts of EVENTSTORE_URL that matter before the client connects. The client's manual has the whole grammar. */
export interface EventStoreAddress {
  readonly servers: readonly Address[];
  readonly hasUser: boolean;
  readonly tls: boolean;
  /** File with the certificate of the server's authority. */
  readonly caFile: string | undefined;
}

/** @param url a connection string. Unlike a URL, it may name several hosts */
export function parseEventStoreUrl(url: string): EventStoreAddress {
  const [, user, hosts = '', query = ''] = /^[^:]+:\/\/(?:([^@/]*)@)?([^/?]*)[^?]*\??(.*)$/.exec(url) ?? [];
  const options = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
  return {
    servers: hosts.split(',').map((host) => addressOf(host, DEFAULT_PORT)),
    hasUser: user !== undefined && user !== '',
    tls: options.get('tls')?.toLowerCase() !== 'false',
    caFile: options.get('tlscafile'),
  };
}

/** The log on an EventStoreDB stream. */
export const eventStore = defineEngine({
  name: 'eventstoredb',
  config: {
    variables: {
      EVENTSTORE_URL: z
        // Unlike a URL, a connection string may name several hosts.
        .string()
        .regex(/^(esdb|kurrentdb|kdb)(\+discover)?:\/\/./, { error: 'must be like esdb://host:port?tls=false' })
        .optional()
        .describe(
          'esdb://host:port?tls=false, or any other connection string of EventStoreDB’s clients; needed with EVENT_LOG=eventstoredb',
        ),
      EVENTSTORE_STREAM: z.string().min(1).default('botledger').describe('The stream that is the log'),
    },
    address: 'EVENTSTORE_URL',
    log: 'EVENTSTORE_STREAM',
    servers: ({ EVENTSTORE_URL = '' }) => parseEventStoreUrl(EVENTSTORE_URL).servers,
  },
  async tables() {
    const { SCHEMA: schema, migrations } = await import('./migrations.ts');
    return { schema, migrations };
  },
  async open({ EVENTSTORE_URL: url = '', EVENTSTORE_STREAM: stream }, options) {
    const { openEventStoreLog } = await import('./eventstore-log.ts');
    return openEventStoreLog({ ...options, url, stream });
  },
});
