import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Limits the addresses of owners' webhooks. Without limits an owner could make the service call addresses that only the
 * service can reach: the service itself, its database, its neighbours, the metadata of its cloud.
 */

/** A network, as `10.1.0.0/16` or a single address. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** @throws Error the text is no network */
export function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** The range of all addresses of public hosts. Other IPv6 addresses are reserved, or are IPv4 addresses in another form. */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an address belongs to the public internet: not private, local or reserved, and no tunnel to such an address.
 */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  // ipaddr.js names every special range of IANA's registries; all other addresses are `unicast`.
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_V6);
}

/** Whether the service may call an address. @param isPlain a call without TLS, allowed only to named networks */
export function mayCall(text: string, allowed: readonly Network[], isPlain: boolean): boolean {
  if (!ipaddr.isValid(text)) return false;
  // Check an IPv6 address that maps to an IPv4 address as this IPv4 address.
  const address = ipaddr.process(text);
  const named = allowed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  return named || (!isPlain && isPublic(address));
}

/** The host of a URL as an address or a name; IPv6 without its brackets. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * The reason to refuse every call of a URL, known from only its text (decisions.md#refused-addresses). A host name may get
 * other addresses later, so each call checks its addresses. Undefined: no reason, or the text is not a URL.
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

/** The bits of an IPv6 address that a provider gives to one customer at least; the customer chooses the others. */
const CUSTOMER_BITS = 64;

/** The addresses that one caller may use: an IPv4 address, or the /64 of an IPv6 address. Limits count by it. */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().replace(/%.*$/, '')}/${CUSTOMER_BITS}`)}/${CUSTOMER_BITS}`;
}
