import ipaddr from 'ipaddr.js';

/** The bits of an IPv6 address that a provider gives to one customer at least; the customer chooses the others. */
const CUSTOMER_BITS = 64;

/** The addresses that one caller may use: an IPv4 address, or the /64 of an IPv6 address. Limits count by it. */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().replace(/%.*$/, '')}/${CUSTOMER_BITS}`)}/${CUSTOMER_BITS}`;
}
