import { revokeKey as decide, owner } from '../../domain/catalog/owner.ts';
import { ownerStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend } from '../decide-and-append.ts';

export interface KeyName {
  readonly ownerId: number;
  readonly keyId: number;
}

/** From now on the key is refused. @throws Rejection */
export async function revokeKey(
  context: CommandContext,
  { ownerId, keyId }: KeyName,
): Promise<{ position: Position | undefined }> {
  return decideAndAppend(context, owner, ownerStream(ownerId), (state, now) => decide(state, keyId, now));
}
