import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createDeflate } from 'node:zlib';
import { parseCheckpoint } from '../../proof/checkpoint-text.ts';
import { parseOutputEntry } from '../../proof/output-entry.ts';
import { cosignatureTime, parseNote } from '../../proof/signed-note.ts';
import { proofBytes } from '../proof/proof-bytes.ts';
import type { ProofFile } from '../proof/prove-account.ts';
import type { StatementProof } from './statement-data.ts';

/** The proof file as a statement has it: compressed, with its hash and its checkpoint. */
export async function proofOf(file: ProofFile, userId: number): Promise<StatementProof> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  async function* hashed() {
    for (const bytes of proofBytes(file)) {
      hash.update(bytes);
      sizeBytes += bytes.length;
      yield bytes;
    }
  }
  const deflated = await buffer(Readable.from(hashed(), { objectMode: false }).pipe(createDeflate()));
  const note = parseNote(file.checkpoint.slice(file.checkpoint.indexOf('\n\n') + 2));
  const checkpoint = parseCheckpoint(note?.text ?? '');
  const entry = parseOutputEntry(file.entry);
  if (note === null || checkpoint === null || entry === null) throw new Error('a proof file has no checkpoint');
  const { origin, size, root } = checkpoint;
  return {
    sha256: hash.digest('hex'),
    ...{ fileName: `proof-${userId}.json`, deflated, sizeBytes, commits: file.map.revision },
    ...{ origin, size, root: Buffer.from(root).toString('base64'), at: entry.at },
    // The log signs by its own name, which is the origin.
    cosignatures: note.signatures
      .filter(({ name }) => name !== origin)
      .map((signature) => ({ name: signature.name, at: cosignatureTime(signature) * 1000 })),
  };
}
