import { checkpointCosigned, checkpointMade } from '../../domain/operations/checkpoint-events.ts';
import { CHECKPOINTS_STREAM, COSIGNATURES_STREAM } from '../../domain/streams.ts';
import { BrokenChainError, type EventLog, type RecordedCommit } from '../../log/port.ts';
import { leafHash } from '../../proof/merkle-tree.ts';
import { cosignatureTime, parseNote, signatureBy } from '../../proof/signed-note.ts';
import { tilesOf, tileTree } from '../../proof/tile-tree.ts';
import type { PolicyWitness, WitnessPolicy } from '../../proof/witness-policy.ts';
import { askWitness } from './ask-witness.ts';
import { findingOf, type ProofFinding } from './audit-trees.ts';

export interface WitnessAuditOptions {
  readonly log: EventLog;
  readonly policy: WitnessPolicy;
  readonly signal: AbortSignal;
  /** Called with a sentence about each witness: what it saw last. */
  readonly onWitness: (sentence: string) => void;
}

/** The last cosignature that the log has of a witness. */
interface Recorded {
  readonly size: number;
  readonly seconds: number;
}

/**
 * Checks the cosignatures in the log, and asks each witness whether the log still has what the witness saw last. It uses nothing but the log and the policy.
 */
export async function* auditWitnesses(options: WitnessAuditOptions): AsyncGenerator<ProofFinding> {
  const { log, policy, signal, onWitness } = options;
  const commits = await commitsOf(log, CHECKPOINTS_STREAM);
  if (commits.length === 0) return;
  const made = commits.map(({ events }) => checkpointMade.read(events[0]!).data);
  const notes = made.map(({ note }) => note);
  const { consistency } = tileTree(tilesOf(made.map(({ entry }) => leafHash(Buffer.from(entry)))));
  const last = { size: notes.length, note: notes.at(-1)!, consistency };
  for (const witness of policy.witnesses) {
    const { recorded, findings } = await recordedOf(log, witness, notes);
    yield* findings;
    const cosigned =
      recorded === null
        ? 'the log has no cosignature of it'
        : `its last cosignature in the log is of checkpoint ${recorded.size}, at ${new Date(recorded.seconds * 1000).toISOString()}`;
    if (witness.url === null) {
      onWitness(`witness ${witness.name} has no address: ${cosigned}`);
      continue;
    }
    // The size is unknown on purpose: the witness says what it saw. It then cosigns what the service asks it for anyway.
    const answer = await askWitness(witness, last, 0, signal);
    signal.throwIfAborted();
    if (answer.type === 'contradicts') yield findingOf(last.size, `witness ${witness.name}: ${answer.error}`);
    else if (answer.type === 'failed')
      onWitness(`witness ${witness.name} did not say what it saw last (${answer.error}): ${cosigned}`);
    else onWitness(`witness ${witness.name} last saw checkpoint ${answer.seen} of ${last.size}`);
  }
}

/** The commits of a stream; none if its chain is broken: the audit of chains names that. */
async function commitsOf(log: EventLog, stream: string): Promise<readonly RecordedCommit[]> {
  try {
    return (await log.read(stream)).commits;
  } catch (error) {
    if (error instanceof BrokenChainError) return [];
    throw error;
  }
}

/** Reads the cosignatures of a witness in the log, and checks that each is of the checkpoint that the log has. */
async function recordedOf(
  log: EventLog,
  { name, verifier }: PolicyWitness,
  notes: readonly string[],
): Promise<{ readonly recorded: Recorded | null; readonly findings: readonly ProofFinding[] }> {
  let recorded: Recorded | null = null;
  const findings: ProofFinding[] = [];
  for (const { events } of await commitsOf(log, COSIGNATURES_STREAM)) {
    const { size, lines } = checkpointCosigned.read(events[0]!).data;
    const isOfWitness = parseNote(`\n\n${lines}`)?.signatures.some(({ keyId }) => keyId.equals(verifier.keyId));
    if (isOfWitness === false) continue;
    const note = parseNote(`${notes[size - 1]}${lines}`);
    const cosignature = note === null ? undefined : signatureBy(note, verifier);
    if (size > notes.length)
      findings.push(findingOf(size, `witness ${name} cosigned checkpoint ${size}, and the log has ${notes.length}`));
    else if (cosignature === undefined)
      findings.push(findingOf(size, `a cosignature of witness ${name} is not of checkpoint ${size}`));
    else recorded = { size, seconds: cosignatureTime(cosignature) };
  }
  return { recorded, findings };
}
