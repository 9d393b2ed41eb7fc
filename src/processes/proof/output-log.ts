import type pg from 'pg';
import { untilCertain } from '../../commands/decide-and-append.ts';
import { inTransaction } from '../../database/transaction.ts';
import { checkpointMade } from '../../domain/operations/checkpoint-events.ts';
import { CHECKPOINTS_STREAM } from '../../domain/streams.ts';
import { EMPTY_STREAM, type StreamHead } from '../../log/port.ts';
import type { CheckpointKeys } from '../../proof/checkpoint-keys.ts';
import { checkpointText } from '../../proof/checkpoint-text.ts';
import { type OutputEntry, outputEntryText } from '../../proof/output-entry.ts';
import { signNote } from '../../proof/signed-note.ts';
import { rootOfTile, TILE_WIDTH, tileTree } from '../../proof/tile-tree.ts';
import { readOutputEntry } from '../../queries/proof/last-checkpoint.ts';
import { OUTPUT_TREE, storedTiles } from '../../queries/proof/stored-trees.ts';
import type { ProcessContext } from '../process.ts';
import { loadCosignatures } from './cosignature-log.ts';
import { addNode, type LeafWriter } from './leaf-writer.ts';
import { treesAt, updateMap } from './update-account-map.ts';

type Context = Pick<ProcessContext, 'log' | 'pool' | 'sources'>;

/** How far the stored checkpoints, and the map and trees, have come. */
export interface OutputState {
  /** The checkpoints in the log. */
  readonly head: StreamHead;
  /** The entry of the last one; null: there is none. */
  readonly last: OutputEntry | null;
  /** The number of checkpoints that the map and the trees have passed: all, one more (not appended yet), or fewer. */
  readonly mapped: number;
}

/** Copies the checkpoints of the log into the database. */
export async function loadOutputState({ log, pool }: Context): Promise<OutputState> {
  const known = await pool.query<{ n: string; hash: string }>(
    'SELECT n, hash FROM proof.checkpoints WHERE hash IS NOT NULL ORDER BY n DESC LIMIT 1',
  );
  const row = known.rows[0];
  const from = row === undefined ? EMPTY_STREAM : { revision: Number(row.n) + 1, hash: row.hash };
  const { head, commits } = await log.read(CHECKPOINTS_STREAM, from);
  for (const { revision, hash, events } of commits) {
    const { entry, note } = checkpointMade.read(events[0]!).data;
    await saveCheckpoint(pool, { n: revision! - 1, entry, note, hash: hash! });
  }
  await loadCosignatures({ log, pool });
  const { rows } = await pool.query<{ entry: string | null; mapped: string }>(
    'SELECT mapped, (SELECT entry FROM proof.checkpoints WHERE n = $1) AS entry FROM proof.state',
    [head.revision - 1],
  );
  const { entry, mapped } = rows[0]!;
  return { head, last: entry === null ? null : readOutputEntry(entry), mapped: Number(mapped) };
}

interface SavedCheckpoint {
  readonly n: number;
  readonly entry: string;
  readonly note: string;
  readonly hash: string;
}

/** An entry here that another instance came before with its own is replaced, and the map must be built again. */
async function saveCheckpoint(pool: pg.Pool, { n, entry, note, hash }: SavedCheckpoint): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query(
      'UPDATE proof.state SET mapped = 0 WHERE EXISTS (SELECT FROM proof.checkpoints WHERE n = $1 AND entry <> $2)',
      [n, entry],
    );
    await tx.query(
      `INSERT INTO proof.checkpoints (n, entry, note, hash) VALUES ($1, $2, $3, $4)
       ON CONFLICT (n) DO UPDATE SET entry = excluded.entry, note = excluded.note, hash = excluded.hash`,
      [n, entry, note, hash],
    );
    if ((n + 1) % TILE_WIDTH !== 0) return;
    const tile = Math.floor(n / TILE_WIDTH);
    const root = rootOfTile(await storedTiles(tx, OUTPUT_TREE)(0, tile, TILE_WIDTH));
    await addNode(tx, OUTPUT_TREE, { n: tile, root });
  });
}

/** Saves the leaves, brings the map to them, and stores the entry of the next checkpoint. All or nothing. */
export async function prepareEntry(
  { pool, sources }: Context,
  writer: LeafWriter,
  { head, keys }: { readonly head: StreamHead; readonly keys: CheckpointKeys },
): Promise<void> {
  writer.hasNews = false;
  await inTransaction(pool, async (tx) => {
    await writer.save(tx);
    const map = await updateMap(tx);
    const trees = await treesAt(tx, writer.sizes());
    const entry = outputEntryText({ at: sources.now(), vrfKey: keys.vrf.publicKey, map, trees });
    await tx.query('INSERT INTO proof.checkpoints (n, entry) VALUES ($1, $2)', [head.revision, entry]);
    await tx.query('UPDATE proof.state SET mapped = $1', [head.revision + 1]);
  });
}

/**
 * Signs the entry that {@link prepareEntry} stored, and appends the checkpoint to the log.
 * @throws ConflictError another instance has appended one
 */
export async function appendCheckpoint(
  { log, pool, sources }: Context,
  head: StreamHead,
  { origin, signers }: CheckpointKeys,
): Promise<StreamHead> {
  const { rows } = await pool.query<{ entry: string }>('SELECT entry FROM proof.checkpoints WHERE n = $1', [
    head.revision,
  ]);
  const { entry } = rows[0]!;
  const size = head.revision + 1;
  const root = await tileTree(storedTiles(pool, OUTPUT_TREE)).root(size);
  const note = signNote(checkpointText({ origin, size, root }), signers);
  const commit = {
    id: sources.uuid(),
    stream: CHECKPOINTS_STREAM,
    expected: head,
    at: sources.now(),
    events: [checkpointMade.create({ entry, note })],
  };
  const appended = await untilCertain(() => log.append(commit));
  const next = appended.head!;
  await saveCheckpoint(pool, { n: head.revision, entry, note, hash: next.hash });
  return next;
}
