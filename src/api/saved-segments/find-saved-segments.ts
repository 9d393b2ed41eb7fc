import { existingSavedSegment } from '../../commands/saved-segments/save-segment.ts';
import type { FilterConditions } from '../../domain/broadcast/audience.ts';
import type { SavedSegment } from '../../domain/saved-segments/saved-segment.ts';
import { storedConditions } from '../../domain/saved-segments/stored-conditions.ts';
import { savedSegmentStream } from '../../domain/streams.ts';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { findSavedSegments as findRows } from '../../queries/saved-segments/saved-segments.ts';

export interface SavedSegmentSources {
  readonly log: EventLog;
  readonly db: Reader;
}

/**
 * Finds the saved segments that belong to the bot, in the present state of their streams. A row of the read model is
 * used if its revision is current; else the stream is read.
 * @param bot public key
 * @throws LogUnavailableError even if the read model has them
 */
export async function findSavedSegments(
  { log, db }: SavedSegmentSources,
  bot: string,
  ids: readonly number[],
): Promise<Map<number, SavedSegment>> {
  const found = new Map<number, SavedSegment>();
  if (ids.length === 0) return found;
  const rows = await findRows(await db.at('reports'), bot, ids);
  const heads = await log.streamHeads(ids.map((id) => savedSegmentStream(bot, id)));
  for (const id of ids) {
    const head = heads.get(savedSegmentStream(bot, id));
    if (head === undefined) continue;
    const row = rows.get(id);
    const isCurrent = row !== undefined && row.revision >= head.revision;
    const existing = isCurrent ? row : await existingSavedSegment(log, bot, id);
    if (existing !== null) found.set(id, existing);
  }
  return found;
}

/** The conditions of {@link findSavedSegments}. */
export async function savedConditions(
  sources: SavedSegmentSources,
  { public_key, timezone }: { readonly public_key: string; readonly timezone: string },
  ids: readonly number[],
): Promise<Map<number, FilterConditions>> {
  const found = await findSavedSegments(sources, public_key, ids);
  return new Map([...found].map(([id, { conditions }]) => [id, storedConditions(conditions, timezone)]));
}
