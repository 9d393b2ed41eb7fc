import { accountStream, reportStream } from '../../domain/streams.ts';
import type { EventLog, Position } from '../../log/port.ts';
import { revisionOf } from '../../projections/accounts/account-commit.ts';
import type { SampleRow } from '../../projections/runtime/diff-rows.ts';

/** A commit as a row names it: by its id, or by its exact stream and revision. */
type NamedCommit = { readonly id: string } | { readonly stream: string; readonly revision: number };

/** The last commit that a row names. Null: rows of the table name none. */
function commitOfRow(model: string, { row }: Pick<SampleRow, 'row'>): NamedCommit | null {
  const { commit_id: id, public_key: bot, user_id: user } = row;
  if (typeof id === 'string') return { id };
  if (typeof bot !== 'string') return null;
  if (model === 'reports' && typeof row['uuid'] === 'string' && typeof row['revision'] === 'string')
    return { stream: reportStream(bot, row['uuid']), revision: Number(row['revision']) };
  if (model !== 'accounts' || typeof user !== 'string') return null;
  const places = [row['place'], row['processed_place'], row['reversed_place']];
  const revisions = places.flatMap((place) => (typeof place === 'string' ? [revisionOf(Number(place))] : []));
  if (typeof row['revision'] === 'string') revisions.push(Number(row['revision']));
  return revisions.length === 0 ? null : { stream: accountStream(bot, Number(user)), revision: Math.max(...revisions) };
}

const nameOf = (commit: NamedCommit): string => ('id' in commit ? commit.id : `${commit.stream} ${commit.revision}`);

/**
 * Finds the positions of commits by one read of the log, which ends when all are found.
 * @returns by {@link nameOf}; without an entry: the log has no such commit
 */
async function readPositions(
  log: Pick<EventLog, 'storedRecords'>,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Position>> {
  const found = new Map<string, Position>();
  if (wanted.size === 0) return found;
  for await (const records of log.storedRecords(signal)) {
    for (const { commit, void: reason } of records) {
      if (commit === null || reason !== null) continue;
      const { id, stream, revision, position } = commit;
      for (const name of [id, `${stream} ${revision}`]) if (wanted.has(name)) found.set(name, position);
    }
    if (found.size === wanted.size) break;
  }
  return found;
}

/** Finds the position of the commit that each row names. Null: the row names none, or the log has no such commit. */
export async function positionsOfRows(
  log: Pick<EventLog, 'storedRecords'>,
  model: string,
  rows: readonly SampleRow[],
  signal: AbortSignal,
): Promise<ReadonlyMap<SampleRow, Position | null>> {
  const named = rows.map((row) => ({ row, commit: commitOfRow(model, row) }));
  const wanted = new Set(named.flatMap(({ commit }) => (commit === null ? [] : [nameOf(commit)])));
  const positions = await readPositions(log, wanted, signal);
  return new Map(named.map(({ row, commit }) => [row, (commit && positions.get(nameOf(commit))) ?? null]));
}
