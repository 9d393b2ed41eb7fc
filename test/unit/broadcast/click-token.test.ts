import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clickToken, readClickToken } from '../../../src/domain/broadcast/clicks.ts';

const KEY = Buffer.alloc(32, 7);
const links = fc.record({
  broadcastId: fc.maxSafeNat().filter((id) => id > 0),
  launch: fc.integer({ min: 1, max: 1000 }),
  place: fc.nat(5_000_000),
  link: fc.nat(300),
});

it('a token names its link, and is signed with its key alone', () => {
  fc.assert(
    fc.property(links, fc.uint8Array({ minLength: 32, maxLength: 32 }), (link, other) => {
      const token = clickToken(KEY, link);
      expect(token).toMatch(/^[\w-]{20,40}$/);
      const read = readClickToken(token)!;
      expect(read.link).toEqual(link);
      expect(read.isSignedWith(KEY)).toBe(true);
      expect(read.isSignedWith(other)).toBe(false);
    }),
  );
});

it('a changed token is none, or is not signed', () => {
  const characters = [...'ABCZabcz0189-_'];
  fc.assert(
    fc.property(links, fc.nat(60), fc.constantFrom(...characters, ''), fc.boolean(), (link, at, character, inserts) => {
      const token = clickToken(KEY, link);
      const from = at % (token.length + 1);
      const changed = token.slice(0, from) + character + token.slice(inserts ? from : from + 1);
      if (changed === token) return;
      expect(readClickToken(changed)?.isSignedWith(KEY) ?? false).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

it('no text breaks the reader', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(readClickToken(text)?.isSignedWith(KEY) ?? false).toBe(false);
    }),
  );
});

it('is what another program computes', () => {
  // python3: base64url of bytes([12, 1, 0x92, 0x21, 3]) and the first 12 bytes of HMAC-SHA256 over them, key 32 times 7.
  expect(clickToken(KEY, { broadcastId: 12, launch: 1, place: 4242, link: 3 })).toBe('DAGSIQPvBCTzavocONH25Lo');
});
