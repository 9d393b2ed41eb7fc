import { changeOwner as decide, type OwnerChanges, owner } from '../../domain/catalog/owner.ts';
import { ownerStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend } from '../decide-and-append.ts';

/** @throws Rejection */
export async function changeOwner(
  context: CommandContext,
  ownerId: number,
  changes: OwnerChanges,
): Promise<{ position: Position | undefined }> {
  return decideAndAppend(context, owner, ownerStream(ownerId), (state) => decide(state, changes));
}
