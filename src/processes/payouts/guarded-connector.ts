import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { hostOf, mayCall, type Network } from '../../util/networks.ts';

/** A webhook leads to no address that may be called. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';
}

/** No connection was made, so nothing was sent; `cause` is the reason. */
export class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError';
}

export interface GuardOptions {
  readonly allowed: readonly Network[];
  /** The addresses of a host name. */
  readonly lookup?: (hostname: string) => Promise<readonly string[]>;
  /** Connects to an address. */
  readonly dial?: buildConnector.connector;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connects to allowed addresses only. It dials the address that it has checked, so a host name cannot resolve to another
 * address in between.
 */
export function guardedConnector({
  allowed,
  lookup = sharedLookup(),
  dial = buildConnector({ timeout: CONNECT_TIMEOUT_MS }),
}: GuardOptions): buildConnector.connector {
  async function connect(options: buildConnector.Options): ReturnType<typeof dialled> {
    const { hostname, protocol } = options;
    const host = hostOf(hostname);
    const addresses = isIP(host) === 0 ? await lookup(host) : [host];
    const callable = addresses.filter((address) => mayCall(address, allowed, protocol === 'http:'));
    if (callable.length === 0) {
      const what = protocol === 'http:' ? 'that may be called without TLS' : 'that may be called';
      throw new RefusedAddressError(`the webhook's host has no address ${what}`);
    }
    const servername = options.servername ?? (isIP(host) === 0 ? host : undefined);
    let problem: unknown;
    for (const address of callable) {
      try {
        return await dialled(dial, { ...options, hostname: address, ...(servername && { servername }) });
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  }
  return (options, callback) => {
    connect(options).then(
      (socket) => callback(null, socket),
      (cause: Error) => {
        const isRefused = cause instanceof RefusedAddressError;
        callback(isRefused ? cause : new NotConnectedError(cause.message, { cause }), null);
      },
    );
  };
}

function dialled(dial: buildConnector.connector, options: buildConnector.Options) {
  return new Promise<Extract<Parameters<buildConnector.Callback>, [null, unknown]>[1]>((resolve, reject) => {
    dial(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error === null) resolve(socket);
      else reject(error);
    });
  });
}

/**
 * The system's look-up holds one of a few threads, for seconds if a name server is silent. So deliveries to the same host at
 * the same time share one look-up.
 */
function sharedLookup(): (hostname: string) => Promise<readonly string[]> {
  const asked = new Map<string, Promise<readonly string[]>>();
  return (hostname) => {
    const known = asked.get(hostname);
    if (known !== undefined) return known;
    const answer = systemLookup(hostname, { all: true })
      .then((found) => found.map(({ address }) => address))
      .finally(() => asked.delete(hostname));
    asked.set(hostname, answer);
    return answer;
  };
}
