import {
  changeSavedSegment,
  createSavedSegment,
  deleteSavedSegment as decideDeletion,
  type SavedSegment,
  type SavedSegmentContent,
  type SavedSegmentEvent,
  savedSegment,
} from '../../domain/saved-segments/saved-segment.ts';
import { savedSegmentStream } from '../../domain/streams.ts';
import type { EventLog } from '../../log/port.ts';
import { type CommandContext, type CommandMeta, type CommandResult, decideAndAppend } from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';

/** Reads a saved segment from the log. @param until a revision, default the newest. Null: the bot has, or had, none then */
export async function existingSavedSegment(
  log: EventLog,
  bot: string,
  saved_segment_id: number,
  until = Number.POSITIVE_INFINITY,
): Promise<SavedSegment | null> {
  const { commits } = await log.read(savedSegmentStream(bot, saved_segment_id));
  let found: SavedSegment | undefined;
  for (const { at, revision, events } of commits) {
    if (revision! > until) break;
    for (const { type, data } of events.map(savedSegment.read)) {
      if (type === 'saved_segment_deleted') return null;
      const created_at: number = found?.created_at ?? at;
      found = { ...data, created_at, changed_at: at, revision: revision! };
    }
  }
  return found ?? null;
}

export interface SaveSegment {
  /** Public key of the bot. */
  readonly bot: string;
  /** Null: a new one. */
  readonly savedSegmentId: number | null;
  /** Its conditions have been checked. */
  readonly content: Omit<SavedSegmentContent, 'saved_segment_id'>;
}

/** Saves a segment, new or in place of an existing one. @throws Rejection not_found: there is none to replace */
export async function saveSegment(
  context: CommandContext,
  { bot, savedSegmentId, content }: SaveSegment,
  meta: CommandMeta,
): Promise<CommandResult<SavedSegmentEvent>> {
  const saved_segment_id = savedSegmentId ?? (await reserveId(context, 'savedsegment'));
  const decide = savedSegmentId === null ? createSavedSegment : changeSavedSegment;
  const stream = savedSegmentStream(bot, saved_segment_id);
  return decideAndAppend(
    context,
    savedSegment,
    stream,
    (state) => decide(state, { saved_segment_id, ...content }),
    meta,
  );
}

/** Deletes a saved segment; `bot` is the bot's public key. @throws Rejection not_found */
export function deleteSavedSegment(
  context: CommandContext,
  { bot, savedSegmentId }: { readonly bot: string; readonly savedSegmentId: number },
  meta: CommandMeta,
): Promise<CommandResult<SavedSegmentEvent>> {
  const stream = savedSegmentStream(bot, savedSegmentId);
  return decideAndAppend(context, savedSegment, stream, (state) => decideDeletion(state, savedSegmentId), meta);
}
