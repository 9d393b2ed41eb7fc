import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { sha256 } from './merkle-tree.ts';

/** Signed notes of C2SP (signed-note), with Ed25519 keys of logs, and of witnesses (tlog-cosignature). */

export type KeyOwner = 'log' | 'witness';
/** The types of signatures in key ids and verifier keys. */
const TYPES = { log: 1, witness: 4 } as const;
/** A witness's signature begins with its time. */
const TIME_BYTES = 8;
const PKCS8_OF_SEED = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_OF_KEY = Buffer.from('302a300506032b6570032100', 'hex');

export interface NoteSigner {
  /** Names the log: the origin of its checkpoints. */
  readonly name: string;
  /** The key that verifiers need, as text: `name+id+key`. */
  readonly verifierKey: string;
  /** The line that signs the text of a note. @param seconds since 1970 UTC; a witness says when it signs */
  signatureLine(text: string, seconds?: number): string;
}

/** A key that checks signatures of one name. */
export interface NoteVerifier {
  readonly name: string;
  readonly keyId: Buffer;
  readonly publicKey: Buffer;
  isSignature(text: string, signature: Buffer): boolean;
}

export interface NoteSignature {
  readonly name: string;
  readonly keyId: Buffer;
  readonly signature: Buffer;
}

export interface Note {
  /** It ends in a line break. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** A name of a key: no white space, no plus sign. */
export function isKeyName(name: string): boolean {
  return /^[^\s+\p{C}]{1,200}$/u.test(name);
}

/** The private key of this name and seed of 32 bytes, as text: `PRIVATE+KEY+name+id+key`. */
export function privateKeyText(name: string, seed: Uint8Array, owner: KeyOwner = 'log'): string {
  const { keyId } = signerParts(name, seed, owner);
  return `PRIVATE+KEY+${name}+${keyId.toString('hex')}+${Buffer.from([TYPES[owner], ...seed]).toString('base64')}`;
}

/** Parses a private key of {@link privateKeyText}; null: it is none of such an owner. */
export function parseSigner(text: string, owner: KeyOwner = 'log'): NoteSigner | null {
  const [, key = ''] = /^PRIVATE\+KEY\+(.+)$/.exec(text) ?? [];
  const parsed = parseKey(key, owner);
  if (parsed === null) return null;
  const { name, id, bytes } = parsed;
  const { privateKey, publicKey, keyId } = signerParts(name, bytes, owner);
  if (keyId.toString('hex') !== id) return null;
  return {
    name,
    verifierKey: `${name}+${id}+${Buffer.from([TYPES[owner], ...publicKey]).toString('base64')}`,
    signatureLine(signed, seconds = 0) {
      const time = Buffer.alloc(owner === 'witness' ? TIME_BYTES : 0);
      if (owner === 'witness') time.writeBigUInt64BE(BigInt(seconds));
      const signature = sign(null, Buffer.from(signedText(signed, time)), privateKey);
      return signatureLine({ name, keyId, signature: Buffer.concat([time, signature]) });
    },
  };
}

export function signatureLine({ name, keyId, signature }: NoteSignature): string {
  return `— ${name} ${Buffer.concat([keyId, signature]).toString('base64')}\n`;
}

/** The text that is signed. @param time empty: by a log; 8 bytes: by a witness */
function signedText(text: string, time: Buffer): string {
  return time.length === 0 ? text : `cosignature/v1\ntime ${time.readBigUInt64BE()}\n${text}`;
}

/** When the witness signed, in seconds since 1970 UTC, by its own clock. */
export function cosignatureTime({ signature }: NoteSignature): number {
  return Number(signature.readBigUInt64BE());
}

function signerParts(
  name: string,
  seed: Uint8Array,
  owner: KeyOwner,
): { privateKey: KeyObject; publicKey: Buffer; keyId: Buffer } {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_OF_SEED, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(SPKI_OF_KEY.length);
  return { privateKey, publicKey, keyId: keyIdOf(name, publicKey, owner) };
}

function keyIdOf(name: string, publicKey: Uint8Array, owner: KeyOwner): Buffer {
  const named = Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([TYPES[owner]]), publicKey]);
  return Buffer.from(sha256(named)).subarray(0, 4);
}

/** Parses `name+id+key`; the bytes are those of the key without its type. */
function parseKey(text: string, owner: KeyOwner): { name: string; id: string; bytes: Buffer } | null {
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (!isKeyName(name) || bytes.length !== 33 || bytes[0] !== TYPES[owner]) return null;
  return { name, id, bytes: bytes.subarray(1) };
}

/** Parses a verifier key; null: it is none, or not of Ed25519 and such an owner. */
export function parseVerifier(text: string, owner: KeyOwner = 'log'): NoteVerifier | null {
  const parsed = parseKey(text, owner);
  if (parsed === null) return null;
  const { name, id, bytes: publicKey } = parsed;
  const keyId = keyIdOf(name, publicKey, owner);
  if (keyId.toString('hex') !== id) return null;
  const der = Buffer.concat([SPKI_OF_KEY, publicKey]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const timeBytes = owner === 'witness' ? TIME_BYTES : 0;
  return {
    name,
    keyId,
    publicKey,
    isSignature(signed, signature) {
      if (signature.length !== timeBytes + 64) return false;
      const message = signedText(signed, signature.subarray(0, timeBytes));
      return verify(null, Buffer.from(message), key, signature.subarray(timeBytes));
    },
  };
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

/** The valid signature of the verifier's key; undefined: it did not sign the note. */
export function signatureBy(
  { text, signatures }: Note,
  { name, keyId, isSignature }: NoteVerifier,
): NoteSignature | undefined {
  return signatures.find((each) => each.name === name && each.keyId.equals(keyId) && isSignature(text, each.signature));
}

/** Whether the verifier's key signed the note. */
export function isSignedBy(note: Note, verifier: NoteVerifier): boolean {
  return signatureBy(note, verifier) !== undefined;
}
