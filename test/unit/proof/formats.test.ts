import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MapEntry, mapPartOf, mapPath, mapRoot } from '../../../src/proof/account-map.ts';
import { newCheckpointKeys, parseCheckpointKeys } from '../../../src/proof/checkpoint-keys.ts';
import { checkpointText, parseCheckpoint, tlogProof } from '../../../src/proof/checkpoint-text.ts';
import { outputEntryText, parseOutputEntry } from '../../../src/proof/output-entry.ts';
import {
  isSignedBy,
  parseNote,
  parseSigner,
  parseVerifier,
  privateKeyText,
  signNote,
} from '../../../src/proof/signed-note.ts';
import { bundleOf, parseTilePath } from '../../../src/proof/tile-path.ts';
import { verifyMapPath } from '../../support/verify-proofs.ts';

const bytes = (fill: number): Buffer => Buffer.alloc(32, fill);

describe('a signed note', () => {
  it('signs as the example of golang.org/x/mod/sumdb/note', () => {
    const key = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
    const signer = parseSigner(key)!;
    expect(signer.verifierKey).toBe('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
    const text =
      "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
    expect(signNote(text, [signer])).toBe(
      `${text}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`,
    );
  });

  it('is of a key, and of no other name, key or text', () => {
    const [one, other] = [1, 2].map((fill) => parseSigner(privateKeyText('log.test', bytes(fill)))!) as [never, never];
    const note = parseNote(signNote('text\n', [one]))!;
    const verifier = (signer: { verifierKey: string }) => parseVerifier(signer.verifierKey)!;
    expect(isSignedBy(note, verifier(one))).toBe(true);
    expect(isSignedBy(note, verifier(other))).toBe(false);
    expect(isSignedBy({ ...note, text: 'text2\n' }, verifier(one))).toBe(false);
    expect(parseNote('no signature\n')).toBeNull();
    expect(parseVerifier('log.test+00000000+AAAA')).toBeNull();
  });
});

it('a file of keys is read as it was made, with two signing keys during a rotation', () => {
  const text = newCheckpointKeys('log.test', (size) => Buffer.alloc(size, 7));
  const rotated = `${text}${privateKeyText('log.test', bytes(8))}\n`;
  expect(parseCheckpointKeys(text)).toMatchObject({ origin: 'log.test', signers: [{ name: 'log.test' }] });
  expect(parseCheckpointKeys(rotated)).toMatchObject({ signers: [{}, {}] });
  expect(parseCheckpointKeys(`${text}${privateKeyText('other.test', bytes(8))}`)).toMatch(/different names/);
  expect(parseCheckpointKeys(text.replace(/^VRF\+.*\n/m, ''))).toMatch(/0 lines VRF/);
  expect(parseCheckpointKeys(`${text}?`)).toMatch(/neither/);
  expect(() => newCheckpointKeys('a b', bytes)).toThrow(/white space/);
});

it('checkpoints and entries are parsed only from their exact text', () => {
  const checkpoint = { origin: 'log.test', size: 17, root: bytes(3) };
  expect(parseCheckpoint(checkpointText(checkpoint))).toEqual(checkpoint);
  expect(parseCheckpoint(`${checkpointText(checkpoint)}extension\n`)).toBeNull();
  const entry = { at: 5, vrfKey: bytes(1), map: { accounts: 2, root: bytes(2) }, trees: [{ size: 9, root: bytes(4) }] };
  const text = outputEntryText(entry);
  expect(parseOutputEntry(text)).toEqual(entry);
  for (const changed of [`${text}\n`, text.replace('tree 0 9', 'tree 0 09'), text.replace('tree 0', 'tree 1'), 'x'])
    expect(parseOutputEntry(changed)).toBeNull();
  expect(tlogProof(3, [bytes(1)], 'note')).toBe(
    `c2sp.org/tlog-proof@v1\nindex 3\n${bytes(1).toString('base64')}\n\nnote`,
  );
});

it('paths of tiles are those of tlog-tiles', () => {
  expect(parseTilePath('0/x001/x234/067.p/8')).toEqual({ level: 0, n: 1_234_067, width: 8 });
  expect(parseTilePath('entries/000')).toEqual({ level: 'entries', n: 0, width: 256 });
  for (const wrong of ['64/000', '0/0', '0/x000/001', '0/001.p/0', '0/001.p/256', '0/001/x002', '00/000', '0/000/'])
    expect(parseTilePath(wrong), wrong).toBeNull();
  expect(bundleOf([Buffer.from('ab'), Buffer.from('c')]).toString('hex')).toBe('00026162000163');
});

describe('the map of accounts', () => {
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const entries = fc
    .uniqueArray(key, { selector: (each) => Buffer.from(each).toString('hex'), maxLength: 40 })
    .map((keys) => keys.sort(Buffer.compare).map((key, i) => ({ key, revision: i + 1, leaves: i + 1 })));

  it('proves each entry, and no other revision, number of leaves or key', () => {
    fc.assert(
      fc.property(entries, fc.nat(), key, (all: MapEntry[], chosen, otherKey) => {
        fc.pre(all.length > 0);
        const index = chosen % all.length;
        const entry = all[index]!;
        const parts = all.map(mapPartOf);
        const root = mapRoot(parts);
        const steps = mapPath(parts, index);
        expect(verifyMapPath(entry, steps, root)).toBe(true);
        expect(verifyMapPath({ ...entry, revision: entry.revision + 1 }, steps, root)).toBe(false);
        expect(verifyMapPath({ ...entry, leaves: 0 }, steps, root)).toBe(false);
        expect(verifyMapPath({ ...entry, key: otherKey }, steps, root)).toBe(false);
        expect(verifyMapPath(entry, [...steps].reverse().concat({ depth: 0, sibling: root }), root)).toBe(false);
      }),
    );
  });

  it('has the same root if parts with shared bits are hashed before', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const parts = all.map(mapPartOf);
        const grouped = Array.from({ length: 16 }, (_, bits) => parts.filter(({ key }) => key[0]! >> 4 === bits));
        const joined = grouped.flatMap((part) => (part[0] ? [{ key: part[0].key, hash: mapRoot(part) }] : []));
        expect(mapRoot(joined)).toEqual(mapRoot(parts));
      }),
    );
  });
});
