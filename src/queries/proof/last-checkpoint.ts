import { type OutputEntry, parseOutputEntry } from '../../proof/output-entry.ts';
import { type NoteVerifier, parseNote } from '../../proof/signed-note.ts';
import type { Db } from './stored-trees.ts';

/** The last checkpoint. */
export interface StoredCheckpoint {
  /** The number of entries of the output log. */
  readonly size: number;
  /** The text of its last entry. */
  readonly text: string;
  readonly entry: OutputEntry;
  /** The signed checkpoint, with the cosignatures that it has. */
  readonly note: string;
}

/** Reads the last checkpoint that is in the log; null: there is none. */
export async function lastCheckpoint(db: Db): Promise<StoredCheckpoint | null> {
  const { rows } = await db.query<{ n: string; entry: string; note: string }>({
    name: 'proof_last_checkpoint',
    text: `SELECT n, entry, note || coalesce(
                    (SELECT string_agg(lines, '' ORDER BY revision) FROM proof.cosignatures WHERE size = n + 1), '') AS note
             FROM proof.checkpoints WHERE note IS NOT NULL ORDER BY n DESC LIMIT 1`,
  });
  const row = rows[0];
  if (row === undefined) return null;
  return { size: Number(row.n) + 1, text: row.entry, entry: readOutputEntry(row.entry), note: row.note };
}

/** The size of the last checkpoint that the key cosigned; 0: none. Looks at the last thousand cosignatures. */
export async function lastCosignedBy(db: Db, { name, keyId }: NoteVerifier): Promise<number> {
  const { rows } = await db.query<{ size: string; lines: string }>({
    name: 'proof_last_cosignatures',
    text: 'SELECT size, lines FROM proof.cosignatures ORDER BY revision DESC LIMIT 1000',
  });
  const isOfKey = ({ lines }: { lines: string }): boolean =>
    parseNote(`\n\n${lines}`)!.signatures.some((each) => each.name === name && each.keyId.equals(keyId));
  return Number(rows.find(isOfKey)?.size ?? 0);
}

/** The last checkpoint, if the map and the trees are at it. `pending`: the next one is being made, for a moment. */
export async function provableCheckpoint(db: Db): Promise<StoredCheckpoint | 'none' | 'pending'> {
  const last = await lastCheckpoint(db);
  const { rows } = await db.query<{ mapped: string }>('SELECT mapped FROM proof.state');
  if (Number(rows[0]!.mapped) !== (last?.size ?? 0)) return 'pending';
  return last ?? 'none';
}

/** @throws Error the stored text is no entry */
export function readOutputEntry(text: string): OutputEntry {
  const entry = parseOutputEntry(text);
  if (entry === null) throw new Error('a stored entry of the output log cannot be read');
  return entry;
}

/** How well the checkpoints are cosigned. */
export interface QuorumState {
  /** When a quorum had cosigned a checkpoint last, in milliseconds since 1970 UTC; null: never. */
  readonly reachedAt: number | null;
  /** The number of checkpoints since then. */
  readonly unwitnessed: number;
}

/** Null: the policy asks for no quorum. */
export async function quorumState(db: Db): Promise<QuorumState | null> {
  const { rows } = await db.query<{ reached_at: string | null; unwitnessed: string }>(
    `SELECT quorum_at AS reached_at, count(*) AS unwitnessed
       FROM proof.state LEFT JOIN proof.checkpoints ON note IS NOT NULL AND n >= coalesce(quorum_size, 0)
      WHERE asks_quorum GROUP BY quorum_at`,
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    reachedAt: row.reached_at === null ? null : Number(row.reached_at),
    unwitnessed: Number(row.unwitnessed),
  };
}
