import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

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

/**
 * Whether an address belongs to the public internet: not private, local or reserved, and no tunnel to such an address.
 */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  // ipaddr.js names every special range of IANA's registries; all other addresses are `unicast`.
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_V6);
}

/** Whether an address may be called. @param isPlain without TLS; only allowed for named networks */
export function mayCall(text: string, allowed: readonly Network[], isPlain: boolean): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv6 address that maps to an IPv4 address is checked as that.
  const address = ipaddr.process(text);
  const named = allowed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  return named || (!isPlain && isPublic(address));
}

/** The host of a URL as an address or a name; IPv6 without its brackets. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * The reason why every call of a URL would be refused, from only its text (decisions.md#refused-addresses). A name may
 * lead elsewhere later, so its addresses are checked at each call. A text that is no URL has no reason here.
 */
export function refusedUrl(text: string, allowed: readonly string[]): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname } = new URL(text);
  const isPlain = protocol === 'http:';
  const host = hostOf(hostname);
  const isCallable =
    isIP(host) === 0 ? !isPlain || allowed.length > 0 : mayCall(host, allowed.map(parseNetwork), isPlain);
  if (isCallable) return undefined;
  return isPlain
    ? 'must begin with https://: http:// is for WEBHOOK_ALLOWED_NETWORKS only'
    : 'must lead to the public internet: this address is private or reserved, and not in WEBHOOK_ALLOWED_NETWORKS';
}
