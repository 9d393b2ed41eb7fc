import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { sha256 } from './merkle-tree.ts';

/** Signed notes of C2SP (signed-note), with Ed25519 keys. */

/** The type of a signature in key ids and verifier keys. */
const ED25519 = 1;
const PKCS8_OF_SEED = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_OF_KEY = Buffer.from('302a300506032b6570032100', 'hex');

export interface NoteSigner {
  /** Names the log: the origin of its checkpoints. */
  readonly name: string;
  /** The key that verifiers need, as text: `name+id+key`. */
  readonly verifierKey: string;
  /** The line that signs the text of a note. */
  signatureLine(text: string): string;
}

/** A key that checks signatures of one name. */
export interface NoteVerifier {
  readonly name: string;
  readonly keyId: Buffer;
  isSignature(text: string, signature: Buffer): boolean;
}

export interface Note {
  /** It ends in a line break. */
  readonly text: string;
  readonly signatures: readonly { readonly name: string; readonly keyId: Buffer; readonly signature: Buffer }[];
}

/** A name of a key: no white space, no plus sign. */
export function isKeyName(name: string): boolean {
  return /^[^\s+\p{C}]{1,200}$/u.test(name);
}

/** The private key of this name and seed of 32 bytes, as text: `PRIVATE+KEY+name+id+key`. */
export function privateKeyText(name: string, seed: Uint8Array): string {
  const { keyId } = signerParts(name, seed);
  return `PRIVATE+KEY+${name}+${keyId.toString('hex')}+${Buffer.from([ED25519, ...seed]).toString('base64')}`;
}

/** Parses a private key of {@link privateKeyText}; null: it is none. */
export function parseSigner(text: string): NoteSigner | null {
  const [, name = '', id, encoded = ''] = /^PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (!isKeyName(name) || bytes.length !== 33 || bytes[0] !== ED25519) return null;
  const { privateKey, publicKey, keyId } = signerParts(name, bytes.subarray(1));
  if (keyId.toString('hex') !== id) return null;
  return {
    name,
    verifierKey: `${name}+${id}+${Buffer.from([ED25519, ...publicKey]).toString('base64')}`,
    signatureLine: (signed) =>
      `— ${name} ${Buffer.concat([keyId, sign(null, Buffer.from(signed), privateKey)]).toString('base64')}\n`,
  };
}

function signerParts(name: string, seed: Uint8Array): { privateKey: KeyObject; publicKey: Buffer; keyId: Buffer } {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_OF_SEED, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(SPKI_OF_KEY.length);
  return { privateKey, publicKey, keyId: keyIdOf(name, publicKey) };
}

function keyIdOf(name: string, publicKey: Uint8Array): Buffer {
  return Buffer.from(sha256(Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([ED25519]), publicKey]))).subarray(
    0,
    4,
  );
}

/** Parses a verifier key; null: it is none, or not of Ed25519. */
export function parseVerifier(text: string): NoteVerifier | null {
  const [, name = '', id, encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (!isKeyName(name) || bytes.length !== 33 || bytes[0] !== ED25519) return null;
  const keyId = keyIdOf(name, bytes.subarray(1));
  if (keyId.toString('hex') !== id) return null;
  const der = Buffer.concat([SPKI_OF_KEY, bytes.subarray(1)]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return { name, keyId, isSignature: (signed, signature) => verify(null, Buffer.from(signed), key, signature) };
}

/** The note: its text, which ends in a line break, signed by each key. */
export function signNote(text: string, signers: readonly NoteSigner[]): string {
  return `${text}\n${signers.map((signer) => signer.signatureLine(text)).join('')}`;
}

/** Parses a note; null: it is not of that form. Checks no signature. */
export function parseNote(note: string): Note | null {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) return null;
  const signatures = note
    .slice(end + 2, -1)
    .split('\n')
    .map((line) => {
      const [, name = '', encoded = ''] = /^— (\S+) (\S+)$/.exec(line) ?? [];
      const bytes = Buffer.from(encoded, 'base64');
      return { name, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) };
    });
  if (signatures.some(({ name, signature }) => !isKeyName(name) || signature.length === 0)) return null;
  return { text: note.slice(0, end + 1), signatures };
}

/** Whether the verifier's key signed the note. */
export function isSignedBy({ text, signatures }: Note, { name, keyId, isSignature }: NoteVerifier): boolean {
  return signatures.some((each) => each.name === name && each.keyId.equals(keyId) && isSignature(text, each.signature));
}
