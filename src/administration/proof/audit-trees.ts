import { checkpointMade } from '../../domain/operations/checkpoint-events.ts';
import { CATEGORIES, CHECKPOINTS_STREAM, isOfAccount } from '../../domain/streams.ts';
import { BrokenChainError, type CommitDigest, type EventLog } from '../../log/port.ts';
import { mapPartOf, mapRoot } from '../../proof/account-map.ts';
import type { CheckpointKeys } from '../../proof/checkpoint-keys.ts';
import { parseCheckpoint } from '../../proof/checkpoint-text.ts';
import { GrowingTree } from '../../proof/growing-tree.ts';
import { leafOf, NO_KEY } from '../../proof/leaf.ts';
import { isSameHash, leafHash } from '../../proof/merkle-tree.ts';
import { type OutputEntry, parseOutputEntry } from '../../proof/output-entry.ts';
import { isSignedBy, parseNote, parseVerifier } from '../../proof/signed-note.ts';
import { counted } from '../../util/counted.ts';

/** A difference between the log and a signed checkpoint. */
export interface ProofFinding {
  readonly kind: 'proof';
  /** The stream of checkpoints. */
  readonly stream: string;
  /** The number of the checkpoint. */
  readonly revision: number;
  readonly message: string;
}

interface Signed {
  readonly number: number;
  readonly entry: OutputEntry;
}

export interface TreeAuditOptions {
  readonly log: EventLog;
  readonly keys: CheckpointKeys;
  readonly signal: AbortSignal;
  /** Called with the number of hashed commits. */
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Computes the trees again from the log and compares them with every signed checkpoint, and the map of accounts with the last
 * one. It uses nothing but the log and the keys. Of each tree it names the first checkpoint that differs. Its memory grows
 * with the number of accounts, about 300 bytes each.
 */
export async function* auditTrees({ log, keys, signal, onProgress }: TreeAuditOptions): AsyncGenerator<ProofFinding> {
  const { checkpoints, findings } = await readCheckpoints(log, keys);
  yield* findings;
  const last = checkpoints.at(-1);
  if (last === undefined) return;
  const accounts = new Map<string, { readonly key: Uint8Array; revision: number; leaves: number }>();
  const total = last.entry.trees.reduce((sum, { size }) => sum + size, 0);
  let done = 0;

  function leafFor({ stream, revision, digest }: CommitDigest): Buffer {
    if (!isOfAccount(stream)) return leafOf(NO_KEY, revision ?? 0, digest);
    const known = accounts.get(stream);
    const key = known?.key ?? Uint8Array.from(keys.vrf.output(stream).subarray(0, 32));
    accounts.set(stream, { key, revision: revision ?? 0, leaves: (known?.leaves ?? 0) + 1 });
    return leafOf(key, revision ?? 0, digest);
  }

  for (const partition of last.entry.trees.keys()) {
    const size = last.entry.trees[partition]!.size;
    const due = checkpoints.map((each) => ({ ...each, tree: each.entry.trees[partition]! }));
    const tree = new GrowingTree();
    let problem: string | null = null;
    for await (const commit of firstCommits(log, { partition, size, signal })) {
      tree.push(leafHash(leafFor(commit)));
      if (++done % 1000 === 0) onProgress(done, total);
      while (due[0] !== undefined && due[0].tree.size <= tree.size) {
        const { number, tree: signed } = due.shift()!;
        if (signed.size < tree.size || problem !== null || isSameHash(tree.root(), signed.root)) continue;
        problem = `the log has other commits among the first ${signed.size} of partition ${partition} than were signed`;
        yield findingOf(number, problem);
      }
    }
    if (tree.size < size)
      yield findingOf(
        last.number,
        `the log has ${tree.size} of ${counted(size, 'signed commit')} of partition ${partition}`,
      );
  }
  const sorted = [...accounts.values()].sort((one, other) => Buffer.compare(one.key, other.key));
  if (!isSameHash(mapRoot(sorted.map(mapPartOf)), last.entry.map.root))
    yield findingOf(last.number, 'the map of accounts is not the one that was signed');
}

export function findingOf(revision: number, message: string): ProofFinding {
  return { kind: 'proof', stream: CHECKPOINTS_STREAM, revision, message };
}

/** Reads the checkpoints, and checks that each signs the entries up to its own. Signatures by replaced keys are not checked. */
async function readCheckpoints(
  log: EventLog,
  { signers }: CheckpointKeys,
): Promise<{ readonly checkpoints: readonly Signed[]; readonly findings: readonly ProofFinding[] }> {
  const verifiers = signers.flatMap(({ verifierKey }) => parseVerifier(verifierKey) ?? []);
  const output = new GrowingTree();
  const checkpoints: Signed[] = [];
  const findings: ProofFinding[] = [];
  const { commits } = await log.read(CHECKPOINTS_STREAM).catch((error: unknown) => {
    if (!(error instanceof BrokenChainError)) throw error;
    findings.push(findingOf(error.revision, `the checkpoints cannot be read: ${error.message}`));
    return { commits: [] };
  });
  for (const { revision, events } of commits) {
    const { entry: text, note } = checkpointMade.read(events[0]!).data;
    output.push(leafHash(Buffer.from(text)));
    const entry = parseOutputEntry(text);
    const signed = parseNote(note);
    const checkpoint = signed === null ? null : parseCheckpoint(signed.text);
    const known = verifiers.filter(({ keyId }) => signed?.signatures.some((each) => each.keyId.equals(keyId)));
    const isWhole =
      checkpoint !== null && checkpoint.size === output.size && isSameHash(checkpoint.root, output.root());
    if (entry === null || !isWhole || known.some((verifier) => !isSignedBy(signed!, verifier)))
      findings.push(findingOf(revision!, 'the checkpoint does not sign the entries up to it'));
    else checkpoints.push({ number: revision!, entry });
  }
  return { checkpoints, findings };
}

/** The first commits of a partition; fewer if the log ends before. */
async function* firstCommits(
  log: EventLog,
  { partition, size, signal }: { readonly partition: number; readonly size: number; readonly signal: AbortSignal },
): AsyncGenerator<CommitDigest> {
  const end = (await log.endCursor()).get(partition);
  if (size === 0 || end === undefined) return;
  let left = size;
  const options = { categories: CATEGORIES, after: new Map(), partitions: new Set([partition]), signal };
  for await (const { commits, last } of log.digests(options)) {
    yield* commits.slice(0, left);
    left -= Math.min(left, commits.length);
    if (left === 0 || last >= end) return;
  }
  signal.throwIfAborted();
}
