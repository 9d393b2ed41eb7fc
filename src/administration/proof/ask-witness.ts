import { addCheckpointText } from '../../proof/add-checkpoint.ts';
import type { Hash } from '../../proof/merkle-tree.ts';
import { type NoteSignature, parseNote, signatureBy } from '../../proof/signed-note.ts';
import type { PolicyWitness } from '../../proof/witness-policy.ts';
import { counted } from '../../util/counted.ts';

/** A checkpoint that a witness is asked to cosign. */
export interface AskedCheckpoint {
  readonly size: number;
  /** The signed checkpoint; it may have cosignatures already. */
  readonly note: string;
  /** The proof that the tree of `to` entries begins with the tree of `from` entries. */
  readonly consistency: (from: number, to: number) => Promise<readonly Hash[]>;
}

export type WitnessAnswer =
  /** `seen`: the size that it had cosigned before. */
  | { readonly type: 'cosigned'; readonly cosignature: NoteSignature; readonly seen: number }
  /** The witness has seen another history of this log. The error says which. */
  | { readonly type: 'contradicts'; readonly error: string }
  | { readonly type: 'failed'; readonly error: string };

const ANSWER_WITHIN_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** The first time the witness may tell the size that it knows; between two times another instance may ask. */
const MAX_ATTEMPTS = 3;

/**
 * Asks a witness to cosign a checkpoint (C2SP tlog-witness).
 * @param oldSize the size that it is known to have cosigned last; 0: unknown
 */
export async function askWitness(
  { url, verifier }: PolicyWitness,
  { size, note, consistency }: AskedCheckpoint,
  oldSize: number,
  signal: AbortSignal,
): Promise<WitnessAnswer> {
  let known = oldSize;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const body = addCheckpointText({ oldSize: known, proof: await consistency(known, size), note });
    const answer = await post(`${url}/add-checkpoint`, body, signal);
    if (typeof answer === 'string') return { type: 'failed', error: answer };
    const { status, text } = answer;
    if (status === 200) return cosignedOf(note, text, verifier, known);
    if (status === 422)
      return {
        type: 'contradicts',
        error: `it refuses: its tree of ${counted(known, 'entry', 'entries')} is no beginning of this log`,
      };
    const seen = status === 409 && /^\d{1,15}\n?$/.test(text) ? Number(text) : null;
    if (seen === null) return { type: 'failed', error: refusalOf(status, text) };
    if (seen > size)
      return {
        type: 'contradicts',
        error: `it has seen ${counted(seen, 'checkpoint')} of this log, and the log has ${size}`,
      };
    if (seen === size && known === size)
      return { type: 'contradicts', error: `it has seen another tree of ${counted(size, 'entry', 'entries')}` };
    known = seen;
  }
  return { type: 'failed', error: 'another client asks it for this log at the same time' };
}

function cosignedOf(note: string, text: string, verifier: PolicyWitness['verifier'], seen: number): WitnessAnswer {
  const signed = parseNote(note.slice(0, note.lastIndexOf('\n\n') + 2) + text);
  const cosignature = signed === null ? undefined : signatureBy(signed, verifier);
  if (cosignature === undefined)
    return { type: 'failed', error: 'its answer has no valid cosignature by the key of the policy' };
  return { type: 'cosigned', cosignature, seen };
}

const REFUSALS: Readonly<Record<number, string>> = {
  403: 'it does not know a key that signed the checkpoint; give its operator the verifier key of this log',
  404: 'it does not know this log; give its operator the verifier key of this log',
};

function refusalOf(status: number, text: string): string {
  return REFUSALS[status] ?? `it answered ${status}: ${text.slice(0, 200).trim()}`;
}

/** @returns a text: why there is no answer */
async function post(
  url: string,
  body: string,
  signal: AbortSignal,
): Promise<{ status: number; text: string } | string> {
  const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'user-agent': 'botledger' },
      redirect: 'manual',
      signal: AbortSignal.any([signal, late]),
    });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.length > MAX_ANSWER_BYTES) return `its answer is longer than ${MAX_ANSWER_BYTES} bytes`;
    }
    return { status: response.status, text };
  } catch (error) {
    if (late.aborted) return `no answer within ${ANSWER_WITHIN_MS / 1000} s`;
    const { cause, message } = error as Error;
    const code = (cause as NodeJS.ErrnoException | undefined)?.code;
    return `the call failed: ${code ?? message}`;
  }
}
