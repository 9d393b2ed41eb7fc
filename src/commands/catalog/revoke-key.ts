import { revokeKey as decide, owner } from '../../domain/catalog/owner.ts';
import { ownerStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, handle } from '../handle.ts';

export interface KeyName {
  readonly ownerId: number;
  readonly keyId: number;
}

/** From now on the key is refused. @throws Rejection */
export async function revokeKey(
  context: CommandContext,
  { ownerId, keyId }: KeyName,
): Promise<{ position: Position | undefined }> {
  return handle(context, owner, ownerStream(ownerId), (state, now) => decide(state, keyId, now));
}
