import ipaddr from 'ipaddr.js';

/**
 * Which addresses an owner's webhook may lead to. Whoever may set a webhook could otherwise have the service call what
 * only the service can reach: itself, its database, its neighbours, the metadata of its cloud.
 */

/** A network, as `10.1.0.0/16` or a single address. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** @throws Error not a network */
export function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** All that is given out to hosts; what lies outside is reserved, or an IPv4 address in another form. */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3');

/** Whether an address is of the public internet: neither private, local, reserved, nor a way to such a one. */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  // ipaddr.js names every special range of IANA's registries; `unicast` is what is left.
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_V6);
}

/** Whether an address may be called. @param isPlain without TLS, which only named networks may be */
export function mayCall(text: string, allowed: readonly Network[], isPlain: boolean): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address in the form of an IPv6 one is what it maps to.
  const address = ipaddr.process(text);
  const named = allowed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  return named || (!isPlain && isPublic(address));
}
