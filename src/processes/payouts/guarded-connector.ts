import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/**
 * Where an owner's webhook may lead. An owner could otherwise make the service call addresses that only the service can
 * reach: itself, its database, its neighbours, the metadata of its cloud.
 */

/** A network, as `10.1.0.0/16` or a single address. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** @throws Error the text is no network */
export function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** All addresses that hosts may have; addresses outside are reserved, or IPv4 addresses in another form. */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3');

/** Whether an address is of the public internet: not private, local or reserved, and no tunnel to such an address. */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  // ipaddr.js names every special range of IANA's registries; all other addresses are `unicast`.
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_V6);
}

/** Whether an address may be called. @param isPlain without TLS, which is allowed for named networks only */
export function mayCall(text: string, allowed: readonly Network[], isPlain: boolean): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv6 address that maps to an IPv4 address is checked as that.
  const address = ipaddr.process(text);
  const named = allowed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  return named || (!isPlain && isPublic(address));
}

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
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
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
