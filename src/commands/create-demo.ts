import { bot, createBot } from '../domain/catalog/bot.ts';
import { ids, reserveIds } from '../domain/catalog/ids.ts';
import { createOwner, issueKey, type OwnerState, owner } from '../domain/catalog/owner.ts';
import { botStream, idsStream, ownerStream } from '../domain/streams.ts';
import type { Position } from '../log/port.ts';
import { type CommandContext, handle } from './handle.ts';
import { apiKeyOf } from './issue-key.ts';
import { load } from './load.ts';
import { reserveId } from './reserve-ids.ts';
import { newPublicKey, newSecret } from './secrets.ts';

/** There is one demo bot at most: its name, unlike others', is no accident, so that a second start finds it. */
export const DEMO_BOT = 'demo';

export interface Demo {
  readonly ownerId: number;
  readonly bot: string;
  readonly apiKey: string;
  readonly position: Position | undefined;
}

/**
 * Creates an owner (premium), a bot and a personal key if the log holds no owner; null if it does. Each step is one exact
 * append that looks at what is there, so of several starts at once one gets the key, and a start that died half way is
 * finished by the next.
 */
export async function createDemo(context: CommandContext): Promise<Demo | null> {
  const ownerId = await demoOwnerId(context);
  if (ownerId === null) return null;
  const { log, sources } = context;

  const profile = { name: 'Demo', currency: 'USD', plan: 'premium', broadcasts_per_month: 100, demo: true } as const;
  const public_key = newPublicKey(sources, 'o');
  await handle(context, owner, ownerStream(ownerId), (state) =>
    state.owner === null ? createOwner(state, { owner_id: ownerId, public_key, ...profile }) : [],
  );
  if (!awaitsKey((await load(log, owner, ownerStream(ownerId))).state)) return null;

  const bot_id = await reserveId(context, 'bot');
  const identity = { bot_id, public_key: DEMO_BOT, owner_id: ownerId, webhook_secret_hash: newSecret(sources).hash };
  await handle(context, bot, botStream(DEMO_BOT), (state) =>
    state.bot === null ? createBot(state, { ...identity, name: 'Demo bot' }) : [],
  );

  const key_id = await reserveId(context, 'key');
  const secret = newSecret(sources);
  const key = { key_id, secret_hash: secret.hash, kind: 'personal', name: 'Demo', expires_at: null } as const;
  const { events, position } = await handle(context, owner, ownerStream(ownerId), (state, now) =>
    awaitsKey(state) ? issueKey(state, { ...key, scope: { type: 'bots', bots: [DEMO_BOT] } }, now) : [],
  );
  if (events.length === 0) return null;
  return { ownerId, bot: DEMO_BOT, apiKey: apiKeyOf(events, secret), position };
}

/** The id of the demo's owner, created or yet to be; null when the log holds another owner. */
async function demoOwnerId(context: CommandContext): Promise<number | null> {
  const { last } = (await load(context.log, ids, idsStream('owner'))).state;
  for (let id = 1; id <= last; id++) {
    const { state } = await load(context.log, owner, ownerStream(id));
    if (state.owner !== null) return awaitsKey(state) ? id : null;
  }
  // An id that was reserved and not used, perhaps by a start that runs beside this one: both go for the same stream.
  if (last > 0) return last;
  await handle(context, ids, idsStream('owner'), (state) =>
    state.last === 0 ? reserveIds(state, { kind: 'owner', count: 1 }) : [],
  );
  return 1;
}

function awaitsKey({ owner, keys }: OwnerState): boolean {
  return owner?.demo === true && keys.size === 0;
}
