import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnreadableEventError } from '../../../src/domain/event-type.ts';
import { IV_BYTES, open, type SealingKey, seal, sealedWith } from '../../../src/domain/sealing.ts';

const newKey = (subject = 'bShop/42'): SealingKey => ({ id: randomUUID(), subject, secret: randomBytes(32) });
const newIv = (): Uint8Array => randomBytes(IV_BYTES);

describe('a sealed text', () => {
  it('opens with its key for any text, and names the key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (subject, text) => {
        const key = newKey(subject);
        const sealed = seal(key, text, newIv());
        expect(sealedWith(sealed)).toBe(key.id);
        expect(open(key.secret, subject, sealed)).toBe(text);
      }),
    );
  });

  it('has the form of AES-256-GCM: iv, ciphertext, tag', () => {
    // Test case 14 of the specification of GCM (McGrew and Viega): zero key and iv, one block of zeros, no subject.
    const zero = { id: '00000000-0000-0000-0000-000000000000', subject: '', secret: new Uint8Array(32) };
    const [version, id, bytes] = seal(zero, '\0'.repeat(16), new Uint8Array(12)).split('.');
    expect([version, id]).toEqual(['1', zero.id]);
    expect(Buffer.from(bytes!, 'base64url').toString('hex')).toBe(
      `${'00'.repeat(12)}cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919`,
    );
  });

  it('does not contain the text, and differs each time', () => {
    const key = newKey();
    const [one, two] = [seal(key, 'Ada Lovelace', newIv()), seal(key, 'Ada Lovelace', newIv())];
    expect(one).not.toBe(two);
    expect(Buffer.from(one.split('.')[2]!, 'base64url').includes('Ada')).toBe(false);
  });

  it('does not open with another key, for another subject, or after one bit changed', () => {
    const key = newKey();
    const sealed = seal(key, 'Ada', newIv());
    expect(() => open(newKey().secret, key.subject, sealed)).toThrow(UnreadableEventError);
    expect(() => open(key.secret, 'bShop/43', sealed)).toThrow(UnreadableEventError);
    const [version, id, text] = sealed.split('.');
    const bytes = Buffer.from(text!, 'base64url');
    for (const [index] of bytes.entries()) {
      const changed = Buffer.from(bytes);
      changed[index]! ^= 1;
      const forged = `${version}.${id}.${changed.toString('base64url')}`;
      expect(() => open(key.secret, key.subject, forged), `byte ${index}`).toThrow(UnreadableEventError);
    }
  });

  it.each(['', 'Ada', '1.2.3', `2.${randomUUID()}.AAAA`, `1.${randomUUID()}.AAAA`])('cannot be %j', (text) => {
    expect(() => open(newKey().secret, 'bShop/42', text)).toThrow(UnreadableEventError);
    expect(() => sealedWith(text)).toThrow(UnreadableEventError);
  });
});
