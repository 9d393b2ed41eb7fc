import { type Address, addressOf } from '../engine.ts';

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
