import type { Hash } from './merkle-tree.ts';

/** A checkpoint of a tree (C2SP tlog-checkpoint): the text of a signed note. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Hash;
}

export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
}

/** Parses the text of a checkpoint; null: it is none, or has extension lines, which a log of this service never writes. */
export function parseCheckpoint(text: string): Checkpoint | null {
  const [, origin, size, encoded] = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$/.exec(text) ?? [];
  if (origin === undefined || !Number.isSafeInteger(Number(size))) return null;
  return { origin, size: Number(size), root: Buffer.from(encoded!, 'base64') };
}

/** A proof that a checkpoint's tree has an entry (C2SP tlog-proof). */
export function tlogProof(index: number, proof: readonly Hash[], signedCheckpoint: string): string {
  const hashes = proof.map((hash) => `${Buffer.from(hash).toString('base64')}\n`).join('');
  return `c2sp.org/tlog-proof@v1\nindex ${index}\n${hashes}\n${signedCheckpoint}`;
}
