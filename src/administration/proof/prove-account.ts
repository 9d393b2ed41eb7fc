import type pg from 'pg';
import { snapshot } from '../../database/snapshot.ts';
import { accountStream, CATEGORIES } from '../../domain/streams.ts';
import { textOf } from '../../log/commit-codec.ts';
import { EMPTY_STREAM, type EventLog, type RecordedCommit } from '../../log/port.ts';
import type { CheckpointKeys } from '../../proof/checkpoint-keys.ts';
import { tlogProof } from '../../proof/checkpoint-text.ts';
import { leafOf, NO_KEY } from '../../proof/leaf.ts';
import { type Hash, sha256 } from '../../proof/merkle-tree.ts';
import { type TileTree, tileTree } from '../../proof/tile-tree.ts';
import { hasQuorum, type WitnessPolicy } from '../../proof/witness-policy.ts';
import { provableCheckpoint } from '../../queries/proof/last-checkpoint.ts';
import { mapProof } from '../../queries/proof/stored-map.ts';
import { leafFinder, OUTPUT_TREE, storedTiles } from '../../queries/proof/stored-trees.ts';
import { counted } from '../../util/counted.ts';
import { pause } from '../../util/pause.ts';
import { workInSlices } from '../../util/work-in-slices.ts';

/** The account whose proof is asked for. */
export interface ProofRequest {
  readonly bot: string;
  readonly userId: number;
  /** The balance is that of this time, in milliseconds UTC; null, or after the last checkpoint: of the last checkpoint. */
  readonly at: number | null;
  /** Adds the commits of the events that earned. They also have events of other users, and to find them reads the log. */
  readonly withEvents: boolean;
  /** A longer account is refused (`too long`); absent: none is. */
  readonly maxCommits?: number;
}

/** A commit in a proof file: its place in the tree, its stored text, and the numbers of its proof's hashes in the file. */
interface ProvenCommit {
  readonly index: number;
  readonly body: string;
  readonly path: readonly number[];
}

/** A proof file (decisions.md#proof-file). `bin/verify.mjs` checks it. */
export interface ProofFile {
  readonly format: 'botledger-proof/v1';
  readonly stream: string;
  readonly at: number | null;
  readonly policy: string;
  readonly vrf: string;
  readonly entry: string;
  readonly checkpoint: string;
  readonly map: { readonly revision: number; readonly leaves: number; readonly steps: readonly [number, string][] };
  readonly tree: number;
  readonly commits: readonly ProvenCommit[];
  readonly causes: readonly ProvenCommit[];
  /** The commits of events that earned and that the log lacks, by id; absent: events were not asked for. */
  readonly missing?: readonly string[];
  readonly hashes: readonly string[];
}

/** `not yet`: the same request succeeds later. `too long`: the account has more commits than asked for. */
type NoProofReason = 'no account' | 'not yet' | 'too long' | 'damaged';

/** There is no proof of the account now. The message says why, and what to do. */
export class NoProofError extends Error {
  override readonly name = 'NoProofError';
  constructor(
    readonly reason: NoProofReason,
    message: string,
  ) {
    super(message);
  }
}

export interface ProofContext {
  readonly log: EventLog;
  readonly pool: pg.Pool;
  readonly keys: CheckpointKeys;
  /** Null: there are no witnesses. */
  readonly policy: WitnessPolicy | null;
  readonly signal: AbortSignal;
}

/** While a checkpoint is being made, its entry is stored and not yet signed: a moment. */
const RETRIES = 50;
const RETRY_MS = 100;
/** Commits that are read and parsed in one go. */
const PAGE = 250;
/** Requests of the service wait for at most this time. */
const SLICE_MS = 5;

/** Makes the proof file of an account at the last checkpoint. @throws NoProofError */
export async function proveAccount(context: ProofContext, request: ProofRequest): Promise<ProofFile> {
  for (let attempt = 0; attempt < RETRIES; attempt++) {
    context.signal.throwIfAborted();
    const file = await snapshot(context.pool, {}, async ({ transaction }) =>
      proveIn(await transaction(), context, request),
    );
    if (file !== null) return file;
    await pause(RETRY_MS, context.signal);
  }
  throw new NoProofError('not yet', 'a checkpoint is being made; ask again later');
}

/** @returns null: a checkpoint is being made */
async function proveIn(
  tx: pg.ClientBase,
  { log, keys, policy, signal }: ProofContext,
  { bot, userId, at, withEvents, maxCommits = Number.POSITIVE_INFINITY }: ProofRequest,
): Promise<ProofFile | null> {
  const last = await provableCheckpoint(tx);
  if (last === 'none') throw new NoProofError('not yet', 'there is no checkpoint yet; ask again later');
  if (last === 'pending') return null;
  const stream = accountStream(bot, userId);
  const key = keys.vrf.output(stream).subarray(0, 32);
  const mapped = await mapProof(tx, key);
  if (mapped === null) {
    if (!(await log.streamHeads([stream])).has(stream))
      throw new NoProofError('no account', `user ${userId} has no account: nothing was ever earned`);
    const date = new Date(last.entry.at).toISOString();
    throw new NoProofError('not yet', `the account is younger than the last checkpoint, of ${date}; ask again later`);
  }
  const { revision } = mapped.entry;
  if (revision > maxCommits)
    throw new NoProofError('too long', `the account has ${revision} commits, and ${maxCommits} are accepted here`);
  const nextSlice = workInSlices(SLICE_MS);
  const commits = await readAccount(log, stream, revision);
  const partition = log.partitionOf(bot);
  const tiles = tileTree(storedTiles(tx, partition));
  const treeNow = () => ({ size: last.entry.trees[partition]!.size, tiles, indexOf: leafFinder(tx, partition) });
  const hashes = new HashTable();
  const proveAll = async (those: readonly RecordedCommit[], keyOfThose: Uint8Array): Promise<ProvenCommit[]> => {
    const [tree, proven] = [treeNow(), [] as ProvenCommit[]];
    for (const commit of those) {
      proven.push(await proveCommit(tree, { commit, key: keyOfThose, hashes }));
      await nextSlice();
      signal.throwIfAborted();
    }
    return proven;
  };
  const proven = await proveAll(commits, key);
  const found = withEvents ? await causesOf(log, commits, signal) : null;
  const causes = await proveAll(found?.commits ?? [], NO_KEY);
  const output = await tileTree(storedTiles(tx, OUTPUT_TREE)).inclusion(last.size - 1, last.size);
  return {
    format: 'botledger-proof/v1',
    stream,
    // The log may have had other commits until a later time.
    at: at !== null && at > last.entry.at ? null : at,
    policy: policyText(keys, policy, last.note),
    vrf: base64(keys.vrf.prove(stream)),
    entry: last.text,
    checkpoint: tlogProof(last.size - 1, output, last.note),
    map: {
      revision: mapped.entry.revision,
      leaves: mapped.entry.leaves,
      steps: mapped.steps.map(({ depth, sibling }) => [depth, base64(sibling)]),
    },
    tree: partition,
    ...(found !== null && { missing: found.missing }),
    commits: proven,
    causes,
    hashes: hashes.all,
  };
}

/** @throws NoProofError the stream is shorter */
async function readAccount(log: EventLog, stream: string, revision: number): Promise<RecordedCommit[]> {
  const commits: RecordedCommit[] = [];
  for (let from = EMPTY_STREAM; from.revision < revision; ) {
    const { head, commits: page } = await log.read(stream, from, Math.min(PAGE, revision - from.revision));
    if (page.length === 0)
      throw new NoProofError(
        'damaged',
        `the log has ${from.revision} of ${counted(revision, 'commit')} of the account; run audit verify`,
      );
    commits.push(...page);
    from = head;
  }
  return commits;
}

/**
 * The policy of the file, which the verifier checks. It asks for no quorum if the checkpoint has none, so that there are proofs
 * while witnesses do not answer. A reader who insists on a quorum brings a policy.
 */
function policyText({ signers }: CheckpointKeys, policy: WitnessPolicy | null, note: string): string {
  if (policy === null) return `log ${signers[0]!.verifierKey}\nquorum none\n`;
  const asked = hasQuorum(policy, note) ? policy.text : policy.text.replace(/^[ \t]*quorum[ \t].*$/m, 'quorum none');
  return policy.logs.length > 0 ? asked : `log ${signers[0]!.verifierKey}\n${asked}`;
}

interface ProvingTree {
  readonly size: number;
  readonly tiles: TileTree;
  readonly indexOf: ReturnType<typeof leafFinder>;
}

/** @throws NoProofError the tree does not have the commit as the log has it */
async function proveCommit(
  { size, tiles, indexOf }: ProvingTree,
  { commit, key, hashes }: { readonly commit: RecordedCommit; readonly key: Uint8Array; readonly hashes: HashTable },
): Promise<ProvenCommit> {
  const body = textOf(commit);
  const leaf = leafOf(key, commit.revision ?? 0, sha256(body));
  const index = await indexOf(leaf, commit.position);
  if (index === null || index >= size)
    throw new NoProofError(
      'damaged',
      `the signed tree does not have the commit at ${commit.position} as the log has it; run audit verify`,
    );
  return { index, body, path: (await tiles.inclusion(index, size)).map((hash) => hashes.numberOf(hash)) };
}

/** The commits whose events earned, in the order of the log, and the ids of those that the log lacks. */
async function causesOf(
  log: EventLog,
  commits: readonly RecordedCommit[],
  signal: AbortSignal,
): Promise<{ readonly commits: readonly RecordedCommit[]; readonly missing: readonly string[] }> {
  const wanted = new Set(
    commits.flatMap(({ events }) =>
      events.flatMap(({ type, data }) =>
        type === 'reward_accrued' ? [(data as { event: { commit_id: string } }).event.commit_id] : [],
      ),
    ),
  );
  const found: RecordedCommit[] = [];
  if (wanted.size === 0) return { commits: [], missing: [] };
  const partition = log.partitionOf(commits[0]!.stream.replace(/^account-([^/]+)\/.*/, '$1'));
  const end = (await log.endCursor()).get(partition) ?? '';
  const options = { categories: CATEGORIES, after: new Map(), partitions: new Set([partition]), signal };
  for await (const batch of log.subscribe(options)) {
    found.push(...batch.commits.filter(({ id }) => wanted.has(id)));
    if (batch.last >= end || found.length === wanted.size) break;
  }
  signal.throwIfAborted();
  for (const { id } of found) wanted.delete(id);
  return { commits: found, missing: [...wanted] };
}

/** The hashes of all proofs of a file, each once: proofs of one tree share most of them. */
class HashTable {
  readonly all: string[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(hash: Hash): number {
    const text = base64(hash);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.all.length);
    return this.all.push(text) - 1;
  }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
