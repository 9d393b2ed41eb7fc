import {
  activateBroadcast,
  type Broadcast,
  type BroadcastEvent,
  broadcast,
  createBroadcast as decide,
  evolveBroadcast,
  type Readiness,
} from '../../domain/broadcast/broadcast.ts';
import type { MessageType } from '../../domain/broadcast/broadcast-events.ts';
import { Rejection } from '../../domain/rejection.ts';
import type { CommandContext, CommandMeta } from '../decide-and-append.ts';
import type { IdPool } from '../reserve-ids.ts';
import { counted, type InTime } from './activation.ts';
import { type BroadcastChange, changeBroadcast } from './change-broadcast.ts';

export interface CreateBroadcast {
  readonly ids: IdPool;
  /** Public key. */
  readonly bot: string;
  readonly ownerId: number;
  readonly type: MessageType;
  readonly content: Pick<Broadcast, 'name' | 'message' | 'variants' | 'segmentations' | 'settings' | 'date_send'>;
  /** Null: it stays a draft. Else it is launched in the same append if this check finds it ready. */
  readonly activate: Readiness | null;
}

/** After a rejection nothing is created. @throws Rejection invalid: it is not ready; limit: as `activateBroadcast` */
export async function createBroadcast(
  context: CommandContext,
  { ids, bot, ownerId, type, content, activate }: CreateBroadcast,
  meta: CommandMeta,
): Promise<BroadcastChange> {
  const activation = meta.command?.id ?? context.sources.uuid();
  const eventsOf = (id: number, now: number): readonly BroadcastEvent[] | Rejection => {
    const created = decide(broadcast.initialState(), { id, type, ...content, at: now });
    if (created instanceof Rejection || activate === null) return created;
    const state = created.reduce(evolveBroadcast, broadcast.initialState());
    const activated = activateBroadcast(state, {}, activate, activation, now);
    return activated instanceof Rejection ? activated : [...created, ...activated];
  };
  // A refused broadcast takes no id.
  const refused = eventsOf(1, context.sources.now());
  if (refused instanceof Rejection) throw refused;
  const taken = await ids.take(1);
  const name = { bot, id: taken[0]! };
  const append = (inTime: InTime = () => undefined) =>
    changeBroadcast(context, name, (state, now) => inTime(state, now) ?? eventsOf(name.id, now), meta);
  try {
    if (activate === null) return await append();
    return await counted(context, { ...name, ownerId, activation }, append);
  } catch (error) {
    if (error instanceof Rejection) ids.giveBack(taken);
    throw error;
  }
}
