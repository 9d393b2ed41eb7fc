import { readCheckpointKeys } from '../../administration/proof/key-file.ts';
import { inTransaction } from '../../database/transaction.ts';
import { CATEGORIES } from '../../domain/streams.ts';
import type { Batch, CommitDigest, StreamHead } from '../../log/port.ts';
import type { CheckpointKeys } from '../../proof/checkpoint-keys.ts';
import { isSameHash } from '../../proof/merkle-tree.ts';
import type { OutputEntry } from '../../proof/output-entry.ts';
import { firstOf } from '../../util/in-time.ts';
import { pause } from '../../util/pause.ts';
import type { Process, ProcessContext } from '../process.ts';
import { LeafWriter } from './leaf-writer.ts';
import { appendCheckpoint, loadOutputState, type OutputState, prepareEntry } from './output-log.ts';
import { treesAt, updateMap } from './update-account-map.ts';

/** Leaves are saved when there are this many, and at each checkpoint: after a kill so many are read again. */
const SAVE_AT = 4096;

/** The pause at the log end. Without it, intake would cause a query for each of its few hundred flushes a second. */
const REST_MS = 200;

/**
 * Follows the log with trees of hashes, one of each partition, and signs checkpoints of them (docs/proofs.md). No writer
 * waits for it. Its schema is made again from the log.
 */
export const proof: Process = {
  name: 'proof',
  instances: 'one',
  async run(context, signal) {
    const { pool, log, config } = context;
    const keys = await readCheckpointKeys(config.CHECKPOINT_KEY!);
    const state = await loadOutputState(context);
    const behind = state.head.revision - state.mapped;
    if (behind < -1) throw new Error(`the log has lost checkpoints: it has ${state.head.revision} of ${state.mapped}`);
    if (behind > 0) await startAgain(context);
    const writer = await LeafWriter.open(pool, log.partitions, keys.vrf);
    if (behind > 0) await buildUpTo(context, writer, state, signal);
    if (signal.aborted) return;
    const head = behind < 0 ? await appendCheckpoint(context, state.head, keys) : state.head;
    // Leaves that were saved after the last checkpoint; one of them is its own.
    writer.hasNews = sum(writer.sizes()) > sum(state.last?.trees.map(({ size }) => size) ?? []) + 1;
    await follow(context, { writer, head, keys, signal });
  },
};

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** Empties the trees and the map: they were dropped, or are of a log that has other checkpoints. */
async function startAgain({ pool }: ProcessContext): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query('TRUNCATE proof.trees, proof.bundles, proof.accounts, proof.map, proof.map_parts');
    await tx.query('DELETE FROM proof.nodes WHERE tree >= 0');
    await tx.query('UPDATE proof.state SET mapped = 0');
  });
}

/**
 * Builds the trees and the map up to the last checkpoint.
 * @throws Error the log does not have the trees that the checkpoint signs
 */
async function buildUpTo(
  { log, pool }: ProcessContext,
  writer: LeafWriter,
  { head, last }: OutputState,
  signal: AbortSignal,
): Promise<void> {
  const name = `checkpoint ${head.revision}`;
  if (last!.trees.length !== log.partitions)
    throw new Error(`${name} is of a log of ${last!.trees.length} partitions, and this one has ${log.partitions}`);
  const ends = await log.endCursor();
  for (const [partition, { size }] of last!.trees.entries()) {
    if (size === 0) continue;
    const options = { categories: CATEGORIES, after: new Map(), partitions: new Set([partition]), signal };
    for await (const { commits, last: position } of log.digests(options)) {
      await writer.take(partition, commits.slice(0, size - writer.sizes()[partition]!));
      if (writer.unsaved >= SAVE_AT) await inTransaction(pool, (tx) => writer.save(tx));
      if (writer.sizes()[partition] === size) break;
      if (position >= (ends.get(partition) ?? ''))
        throw new Error(`the log has fewer commits in partition ${partition} than ${name} signs`);
    }
    if (signal.aborted) return;
  }
  await inTransaction(pool, async (tx) => {
    await writer.save(tx);
    const map = await updateMap(tx);
    const differing = differences(last!, map, await treesAt(tx, writer.sizes()));
    if (differing.length > 0)
      throw new Error(`the log does not have what ${name} signs: ${differing.join(', ')} differs`);
    await tx.query('UPDATE proof.state SET mapped = $1', [head.revision]);
  });
}

function differences(signed: OutputEntry, map: OutputEntry['map'], trees: OutputEntry['trees']): string[] {
  const differing = trees.flatMap(({ root }, tree) =>
    isSameHash(root, signed.trees[tree]!.root) ? [] : [`the tree of partition ${tree}`],
  );
  return isSameHash(map.root, signed.map.root) ? differing : [...differing, 'the map of accounts'];
}

interface Following {
  readonly writer: LeafWriter;
  readonly head: StreamHead;
  readonly keys: CheckpointKeys;
  readonly signal: AbortSignal;
}

async function follow(context: ProcessContext, { writer, keys, signal, ...start }: Following): Promise<void> {
  const { log, pool, config, note } = context;
  const everyMs = config.CHECKPOINT_SECONDS * 1000;
  const ending = new AbortController();
  const options = { categories: CATEGORIES, after: writer.cursor(), signal: AbortSignal.any([signal, ending.signal]) };
  let { head } = start;
  let dueAt = performance.now() + everyMs;
  const checkpoint = async (): Promise<void> => {
    await prepareEntry(context, writer, { head, keys });
    head = await appendCheckpoint(context, head, keys);
    dueAt = performance.now() + everyMs;
  };
  const batches = log.digests(options)[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<Batch<CommitDigest>, unknown>> = batches.next();
  const read = new Map(options.after);
  try {
    for (;;) {
      const batch = await firstOf(next, writer.hasNews ? Math.max(0, dueAt - performance.now()) : null);
      if (batch?.done) break;
      if (batch !== null) {
        const { partition, commits, last, hasMore, hasOthers } = batch.value;
        await writer.take(partition, commits);
        read.set(partition, last);
        note(new Map(read));
        if (writer.unsaved >= SAVE_AT) await inTransaction(pool, (tx) => writer.save(tx));
        next = hasMore || hasOthers ? batches.next() : pause(REST_MS, options.signal).then(() => batches.next());
      }
      if (writer.hasNews && performance.now() >= dueAt) await checkpoint();
    }
    if (writer.hasNews) await checkpoint();
  } finally {
    ending.abort();
    await next.catch(() => {}); // an error of the log was thrown above, or the iteration ends because of the signal
  }
}
