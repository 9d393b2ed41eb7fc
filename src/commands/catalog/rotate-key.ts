import { rotateKey as decide, owner } from '../../domain/catalog/owner.ts';
import { ownerStream } from '../../domain/streams.ts';
import { type CommandContext, decideAndAppend } from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';
import { apiKeyOf, type IssuedKey } from './issue-key.ts';
import type { KeyName } from './revoke-key.ts';
import { newSecret } from './secrets.ts';

/** Issues a key in the place of another, which goes on working for `overlap` milliseconds. @throws Rejection */
export async function rotateKey(
  context: CommandContext,
  { ownerId, keyId, overlap }: KeyName & { readonly overlap: number },
): Promise<IssuedKey> {
  const new_key_id = await reserveId(context, 'key');
  const secret = newSecret(context.sources);
  const rotation = { key_id: keyId, new_key_id, secret_hash: secret.hash, overlap };
  const { events, position } = await decideAndAppend(context, owner, ownerStream(ownerId), (state, now) =>
    decide(state, rotation, now),
  );
  return { keyId: new_key_id, apiKey: apiKeyOf(events, secret), position };
}
