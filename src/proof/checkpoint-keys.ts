import { isKeyName, type NoteSigner, parseSigner, privateKeyText } from './signed-note.ts';
import { createVrf, type Vrf } from './vrf.ts';

/** The secrets of the proofs, from a file outside of the database. A person with both can sign another history. */
export interface CheckpointKeys {
  /** The name of the output log in its checkpoints. */
  readonly origin: string;
  /** Every signer signs every checkpoint. During a rotation there are two signers. */
  readonly signers: readonly NoteSigner[];
  readonly vrf: Vrf;
}

const VRF_LINE = /^VRF\+KEY\+([A-Za-z0-9+/]{43}=)$/;

/** The text of a new file of keys. @param randomBytes from a secure source */
export function newCheckpointKeys(origin: string, randomBytes: (size: number) => Uint8Array): string {
  if (!isKeyName(origin))
    throw new RangeError('the name must have no white space and no plus sign, and 1 to 200 characters');
  const vrf = Buffer.from(randomBytes(32)).toString('base64');
  return `# Keys of checkpoints. Keep a copy: the VRF key can never be replaced.\n${privateKeyText(origin, randomBytes(32))}\nVRF+KEY+${vrf}\n`;
}

/**
 * Parses a file of keys: one line for each signing key, all with the same name, and one line for the VRF.
 * @returns a text: the mistake in the file
 */
export function parseCheckpointKeys(text: string): CheckpointKeys | string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const vrfs = lines.flatMap((line) => VRF_LINE.exec(line)?.[1] ?? []);
  const signers = lines.filter((line) => !VRF_LINE.test(line)).map((line) => parseSigner(line));
  if (vrfs.length !== 1) return `it has ${vrfs.length} lines VRF+KEY+…; it must have one`;
  if (signers.length === 0) return 'it has no line PRIVATE+KEY+…';
  const valid = signers.flatMap((signer) => signer ?? []);
  if (valid.length < signers.length) return 'a line is neither PRIVATE+KEY+… nor VRF+KEY+…';
  const origin = valid[0]!.name;
  if (valid.some(({ name }) => name !== origin)) return 'its keys have different names; a log has one';
  return { origin, signers: valid, vrf: createVrf(Buffer.from(vrfs[0]!, 'base64')) };
}
