import { describe, expect, it } from 'vitest';
import { mayCall, parseNetwork, refusedUrl } from '../../../src/util/networks.ts';

/** An address of each network that a webhook must not lead to. */
const REFUSED_V4 = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.0.9', '169.254.169.254', '172.16.0.1'],
  ...['172.31.255.255', '192.0.0.8', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.19.255.255', '198.51.100.7'],
  ...['203.0.113.9', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
];
const REFUSED_V6 = [
  ...['::', '::1', 'fc00::1', 'fdff::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '64:ff9b::a00:1'],
  ...['64:ff9b:1::1', '100::1', '2001::1', '2001:db8::1', '2002:a00:1::1', '3fff::1', '::7f00:1', '4000::1'],
];
const PUBLIC = ['1.1.1.1', '93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'];

/** The forms in which an IPv4 address passes for an IPv6 one. */
function mapped(address: string): string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  return [`::ffff:${address}`, `::ffff:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`];
}

describe('an address that a webhook may lead to', () => {
  it.each([...REFUSED_V4, ...REFUSED_V6, ...REFUSED_V4.flatMap(mapped)])('is not %s', (address) => {
    expect(mayCall(address, [], false)).toBe(false);
    expect(mayCall(address, [], true)).toBe(false);
  });

  it.each([...PUBLIC, ...mapped('1.1.1.1')])('may be %s, with TLS', (address) => {
    expect(mayCall(address, [], false)).toBe(true);
    expect(mayCall(address, [], true)).toBe(false);
  });

  it('is one of the networks that are named, without TLS, too', () => {
    const allowed = ['10.1.0.0/16', '127.0.0.1', 'fd00::/8', '1.1.1.1'].map(parseNetwork);
    for (const address of ['10.1.2.3', '127.0.0.1', '::ffff:10.1.2.3', '::ffff:7f00:1', 'fd12::1', '1.1.1.1'])
      expect([address, mayCall(address, allowed, true)]).toEqual([address, true]);
    for (const address of ['10.2.0.1', '127.0.0.2', '::1', 'fe80::1', '1.0.0.1', 'example.com', ''])
      expect([address, mayCall(address, allowed, true)]).toEqual([address, false]);
  });
});

describe('a URL that is set as a webhook', () => {
  it.each([
    ['http://shop.example/payouts', [], 'must begin with https://'],
    ['http://93.184.216.34/payouts', [], 'must begin with https://'],
    ['http://127.0.0.1:9/payouts', ['10.0.0.0/8'], 'must begin with https://'],
    ['https://127.0.0.1/payouts', [], 'must lead to the public internet'],
    ['https://10.0.0.1', ['10.0.0.2'], 'must lead to the public internet'],
    ['https://0x7f.1/payouts', [], 'must lead to the public internet'],
    ['https://[::ffff:10.0.0.1]/', [], 'must lead to the public internet'],
    ['https://[::1]/', ['127.0.0.0/8'], 'must lead to the public internet'],
  ])('%s is refused with %j allowed', (url, allowed, reason) => {
    expect(refusedUrl(url, allowed)).toContain(reason);
  });

  it.each([
    ['https://shop.example/payouts', []],
    ['https://localhost/payouts', []],
    ['https://93.184.216.34/payouts', []],
    ['http://127.0.0.1:9/payouts', ['127.0.0.0/8']],
    ['http://pay.internal/payouts', ['10.0.0.0/8']],
    ['https://[::1]/', ['::1']],
    ['no address at all', []],
  ])('%s is taken with %j allowed: the text shows no reason', (url, allowed) => {
    expect(refusedUrl(url, allowed)).toBeUndefined();
  });
});
