import { hashSecret } from '../../domain/catalog/api-key.ts';
import { bot, createBot } from '../../domain/catalog/bot.ts';
import { ids, reserveIds } from '../../domain/catalog/ids.ts';
import { createOwner, issueKey, type KeyState, type OwnerState, owner } from '../../domain/catalog/owner.ts';
import { botStream, idsStream, ownerStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend, load } from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';
import { newPublicKey, newSecret } from './secrets.ts';

/** There is at most one demo bot. Its public key is fixed, not random, so that a second start finds it. */
const DEMO_BOT = 'demo';

export interface Demo {
  readonly ownerId: number;
  readonly bot: string;
  readonly apiKey: string;
  readonly position: Position | undefined;
}

/** Keeps the secret of the key before the log has the key, so that a crash in between does not lose it. */
export interface SecretStore {
  /** The secret of an earlier start that may have crashed; null if there was none. */
  readonly kept: string | null;
  keep(secret: string): Promise<void>;
}

/**
 * Creates an owner (premium), a bot and an owner key for that bot if the log has no owner; returns null if it has one. Each step is an
 * exact append that checks the present state. So of several starts at once one gets the key, and the next start finishes one
 * that crashed. A key whose secret was kept is returned again.
 */
export async function createDemo(context: CommandContext, { kept, keep }: SecretStore): Promise<Demo | null> {
  const keptHash = kept === null ? null : hashSecret(kept);
  const ownerId = await demoOwnerId(context, keptHash);
  if (ownerId === null) return null;
  const { log, sources } = context;

  const profile = { name: 'Demo', currency: 'USD', plan: 'premium', broadcasts_per_month: 100, demo: true } as const;
  const public_key = newPublicKey(sources, 'o');
  await decideAndAppend(context, owner, ownerStream(ownerId), (state) =>
    state.owner === null ? createOwner(state, { owner_id: ownerId, public_key, ...profile }) : [],
  );
  const { state, position: seen } = await load(log, owner, ownerStream(ownerId));
  const before = keyOf(state, keptHash);
  if (before !== null) return { ownerId, bot: DEMO_BOT, apiKey: `${before.public_part}:${kept}`, position: seen };
  if (!awaitsKey(state)) return null;

  const bot_id = await reserveId(context, 'bot');
  const identity = { bot_id, public_key: DEMO_BOT, owner_id: ownerId, webhook_secret_hash: newSecret(sources).hash };
  await decideAndAppend(context, bot, botStream(DEMO_BOT), (state) =>
    state.bot === null ? createBot(state, { ...identity, name: 'Demo bot' }) : [],
  );

  const key_id = await reserveId(context, 'key');
  const secret = kept ?? newSecret(sources).text;
  if (kept === null) await keep(secret);
  const secret_hash = hashSecret(secret);
  const key = { key_id, secret_hash, kind: 'owner', name: 'Demo', expires_at: null } as const;
  const handled = await decideAndAppend(context, owner, ownerStream(ownerId), (current, now) =>
    awaitsKey(current) ? issueKey(current, { ...key, scope: { type: 'bots', bots: [DEMO_BOT] } }, now) : [],
  );
  const issued = handled.events.find((event) => event.type === 'key_issued');
  if (issued === undefined) return null;
  return {
    ownerId,
    bot: DEMO_BOT,
    apiKey: `${issued.data.public_part}:${secret}`,
    position: handled.position,
  };
}

/** The id of the demo's owner, created or not yet; null if the log has another owner, or the demo is complete. */
async function demoOwnerId(context: CommandContext, keptHash: string | null): Promise<number | null> {
  const { last } = (await load(context.log, ids, idsStream('owner'))).state;
  for (let id = 1; id <= last; id++) {
    const { state } = await load(context.log, owner, ownerStream(id));
    if (state.owner !== null) return awaitsKey(state) || keyOf(state, keptHash) !== null ? id : null;
  }
  // The id is reserved and not used, perhaps by a start at the same time: both append to the same stream.
  if (last > 0) return last;
  await decideAndAppend(context, ids, idsStream('owner'), (state) =>
    state.last === 0 ? reserveIds(state, { kind: 'owner', count: 1, above: 0 }) : [],
  );
  return 1;
}

function awaitsKey({ owner, keys }: OwnerState): boolean {
  return owner?.demo === true && keys.size === 0;
}

function keyOf({ keys }: OwnerState, hash: string | null): KeyState | null {
  return [...keys.values()].find((key) => key.secret_hash === hash) ?? null;
}
