import {
  type Broadcast,
  type BroadcastContent,
  type BroadcastEvent,
  type BroadcastState,
  broadcast,
  saveBroadcast as decide,
  evolveBroadcast,
  unknownBroadcast,
} from '../../domain/broadcast/broadcast.ts';
import {
  archiveBroadcast as decideArchive,
  deleteBroadcast as decideDelete,
} from '../../domain/broadcast/broadcast-steps.ts';
import type { Decision } from '../../domain/decider.ts';
import { Rejection } from '../../domain/rejection.ts';
import { broadcastStream } from '../../domain/streams.ts';
import type { EventLog, Position, RecordedCommit } from '../../log/port.ts';
import { type CommandContext, type CommandMeta, decideAndAppend, load } from '../decide-and-append.ts';

/** The name of a broadcast: its id, and the public key of its bot. */
export interface BroadcastName {
  readonly bot: string;
  readonly id: number;
}

export interface BroadcastChange {
  /** The broadcast after the change. If the command is a repeat: as the first call left the broadcast. */
  readonly broadcast: Broadcast;
  readonly events: readonly BroadcastEvent[];
  /** A reader that has passed this position sees the change. */
  readonly position: Position | undefined;
  /** As `CommandResult.repeated`. */
  readonly repeated: RecordedCommit | null;
}

/**
 * Decides on a broadcast and appends. A command with an id appends an event even if nothing changes, so that the log
 * remembers the id.
 * @throws Rejection not_found: there is no such broadcast; or the rejection of `decide`
 */
export async function changeBroadcast(
  context: CommandContext,
  { bot, id }: BroadcastName,
  decide: (state: BroadcastState, now: number) => Decision<BroadcastEvent>,
  meta: CommandMeta = {},
): Promise<BroadcastChange> {
  let after: BroadcastState = null;
  const { events, position, repeated } = await decideAndAppend(
    context,
    broadcast,
    broadcastStream(bot, id),
    (state, now) => {
      const decision = decide(state, now);
      if (decision instanceof Rejection) return decision;
      const isKept = decision.length > 0 || meta.command === undefined;
      const events: readonly BroadcastEvent[] = isKept ? decision : [{ type: 'broadcast_left', data: { id } }];
      after = events.reduce(evolveBroadcast, state);
      return events;
    },
    meta,
  );
  return repeated === null ? { broadcast: after!, events, position, repeated } : repeatedChange(context.log, repeated);
}

/** The broadcast as `repeated`, the commit of the first call, left it. */
export async function repeatedChange(log: EventLog, repeated: RecordedCommit): Promise<BroadcastChange> {
  const { commits } = await log.read(repeated.stream);
  const until = commits.filter(({ revision }) => revision! <= repeated.revision!);
  const state = until.flatMap((commit) => commit.events.map(broadcast.read)).reduce(evolveBroadcast, null);
  const events = repeated.events.map(broadcast.read);
  return { broadcast: state!, events, position: repeated.position, repeated };
}

/** Loads the broadcast from the log. @param key the request's key for the id @throws Rejection not_found */
export async function existingBroadcast(
  log: EventLog,
  { bot, id }: BroadcastName,
  key: 'id' | 'task_id' = 'id',
): Promise<Broadcast> {
  const { state } = await load(log, broadcast, broadcastStream(bot, id));
  if (state === null) throw unknownBroadcast(key);
  return state;
}

/** Changes a draft; any other broadcast stays as it is. @throws Rejection not_found */
export function saveBroadcast(
  context: CommandContext,
  name: BroadcastName,
  changes: BroadcastContent,
  meta: CommandMeta,
): Promise<BroadcastChange> {
  return changeBroadcast(context, name, (state) => decide(state, changes), meta);
}

/**
 * Puts a broadcast into the archive, or takes it out.
 * @throws Rejection not_found; conflict: it is scheduled or being sent
 */
export function archiveBroadcast(
  context: CommandContext,
  { archived, ...name }: BroadcastName & { readonly archived: boolean },
  meta: CommandMeta,
): Promise<BroadcastChange> {
  return changeBroadcast(context, name, (state, now) => decideArchive(state, archived, now), meta);
}

/** Deletes a draft. @throws Rejection not_found; conflict: it is not a draft */
export function deleteBroadcast(
  context: CommandContext,
  { bot, id }: BroadcastName,
  meta: CommandMeta,
): Promise<Pick<BroadcastChange, 'position' | 'repeated'>> {
  return decideAndAppend(context, broadcast, broadcastStream(bot, id), decideDelete, meta);
}

/**
 * Appends a step of the broadcast's lifecycle (`lifecycle.ts`), for example `(state, now) => startSending(state, now)`.
 * @throws Rejection conflict: its status does not allow the step, since another actor was faster
 */
export function advanceBroadcast(
  context: CommandContext,
  name: BroadcastName,
  step: (state: BroadcastState, now: number) => Decision<BroadcastEvent>,
): Promise<BroadcastChange> {
  return changeBroadcast(context, name, step);
}
