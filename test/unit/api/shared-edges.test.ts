import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { describeApi } from '../../../src/api/openapi.ts';
import { revalidate } from '../../../src/api/revalidation.ts';
import { addressBlock } from '../../../src/util/networks.ts';
import { sharedCall } from '../../../src/util/shared-call.ts';

/** Requests without a key cost the service little. */

describe('the block of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::6', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['no address', 'no address'],
  ])('of %s is %s', (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });
});

describe('a spaced call', () => {
  /** Work that ends when the test says so, and pauses likewise. */
  function shared() {
    const running: ((value: number) => void)[] = [];
    const pauses: (() => void)[] = [];
    const call = sharedCall(
      () => new Promise<number>((resolve) => running.push(resolve)),
      250,
      () => new Promise<void>((resolve) => pauses.push(resolve)),
    );
    return { call, running, pauses };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('begins once for callers that ask while another call runs, and after a pause', async () => {
    const { call, running, pauses } = shared();
    const first = call();
    await settled();
    const later = Array.from({ length: 20 }, () => call());
    await settled();
    expect(running).toHaveLength(1);
    running[0]!(1);
    expect(await first).toBe(1);
    await settled();
    expect(running).toHaveLength(1);
    pauses[0]!();
    await settled();
    expect(running).toHaveLength(2);
    running[1]!(2);
    expect(await Promise.all(later)).toEqual(Array.from({ length: 20 }, () => 2));
  });

  it('begins again after a call that failed', async () => {
    let calls = 0;
    const call = sharedCall(
      async () => {
        if (++calls === 1) throw new Error('no');
        return calls;
      },
      250,
      async () => {},
    );
    await expect(call()).rejects.toThrow('no');
    expect(await call()).toBe(2);
  });
});

it('the document of the API is made once, and a client that has it gets 304', async () => {
  const app = fastify();
  await describeApi(app);
  app.addHook('onSend', revalidate);
  await app.ready();
  const made = app.swagger;
  let calls = 0;
  app.swagger = ((...args: Parameters<typeof made>) => {
    calls++;
    return made(...args);
  }) as typeof made;
  const first = await app.inject('/openapi.json');
  expect(first.json()).toMatchObject({ openapi: '3.1.0' });
  const { etag } = first.headers;
  const again = await app.inject({ url: '/openapi.json', headers: { 'if-none-match': String(etag) } });
  expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
  expect(calls).toBe(1);
  await app.close();
});
