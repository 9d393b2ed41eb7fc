import { expect } from 'vitest';
import { createBroadcast } from '../../src/commands/broadcast/create-broadcast.ts';
import { changeBot } from '../../src/commands/catalog/change-bot.ts';
import type { CommandContext } from '../../src/commands/decide-and-append.ts';
import { createIdPool } from '../../src/commands/reserve-ids.ts';
import type { MessageType } from '../../src/domain/broadcast/broadcast-events.ts';
import { type BroadcastSettings, DEFAULT_SETTINGS } from '../../src/domain/broadcast/settings.ts';
import type { Variant } from '../../src/domain/broadcast/variants.ts';
import { recipientsReadModel } from '../../src/projections/recipients/read-model.ts';
import { usersReadModel } from '../../src/projections/users/read-model.ts';
import { pause } from '../../src/util/pause.ts';
import { firstSchema } from './read-model-tables.ts';
import type { TestBot, TestService } from './service.ts';

export const TOKEN = '123456:token_of-the-bot';

export interface NewBroadcast {
  readonly type?: MessageType;
  readonly message?: Readonly<Record<string, unknown>>;
  readonly variants?: readonly Variant[];
  readonly chats: readonly number[];
  readonly cap?: number;
  readonly onLimit?: Partial<BroadcastSettings['rateLimitOnError']>;
  /** Ms UTC. */
  readonly date_send?: number;
}

/** Creates a bot that can send: it has a token and paid broadcasts. */
export async function sendingBot(service: TestService, token = TOKEN): Promise<TestBot> {
  const bot = await service.createBot();
  await changeBot(service.commands, bot.publicKey, { token, paid_broadcasts: true });
  await service.projected();
  return bot;
}

/** Creates and activates a broadcast to a list of chats. @returns its id */
export async function launch(
  { commands }: { readonly commands: CommandContext },
  bot: { readonly publicKey: string; readonly ownerId: number },
  given: NewBroadcast,
): Promise<number> {
  const { type = 'sendMessage', variants, chats, cap = 1000, onLimit, date_send = null } = given;
  const { message = variants === undefined ? { text: 'Hello' } : {} } = given;
  const segmentations = { include: [{ type: 'list', config: { chat_ids: chats } }], exclude: [] };
  const { broadcast } = await createBroadcast(
    commands,
    {
      ids: createIdPool(commands, 'broadcast'),
      bot: bot.publicKey,
      ownerId: bot.ownerId,
      type,
      content: {
        name: null,
        message: message as never,
        ...(variants === undefined ? {} : { variants: [...variants] }),
        segmentations: JSON.stringify(segmentations),
        settings: { intervalCap: cap, rateLimitOnError: { ...DEFAULT_SETTINGS.rateLimitOnError, ...onLimit } },
        date_send,
      },
      activate: () => undefined,
    },
    {},
  );
  return broadcast.id;
}

/** A broadcast's row of the read model `recipients`. */
export interface Sending {
  readonly status: number;
  readonly count_recipients: number;
  readonly count_delivered: number;
  readonly count_not_delivered: number;
  readonly count_unknown: number;
  readonly cancelled: boolean;
  readonly paused_until: number | null;
  readonly error: string | null;
}

export async function sendingOf(service: TestService, id: number): Promise<Sending | undefined> {
  const { rows } = await service.database.pool.query<Sending>(
    `SELECT status, count_recipients, count_delivered, count_not_delivered, count_unknown, cancelled,
            paused_until::float8, error FROM ${firstSchema(recipientsReadModel)}.sendings WHERE broadcast_id = $1`,
    [id],
  );
  return rows[0];
}

/** Waits until the row of a broadcast fulfils the condition. */
export async function until(
  service: TestService,
  id: number,
  so: (sending: Sending) => boolean,
  withinMs = 120_000,
): Promise<Sending> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const sending = await sendingOf(service, id);
    if (sending !== undefined && so(sending)) return sending;
    if (performance.now() > deadline) throw new Error(`broadcast ${id} is ${JSON.stringify(sending)}`);
    await pause(20);
  }
}

export const hasEnded = ({ status }: Sending): boolean => [3, 4, 5].includes(status);

export interface RecipientRow {
  readonly chat_id: number;
  readonly state: 'pending' | 'delivered' | 'not_delivered' | 'unknown';
  readonly reason: string | null;
}

/** The outcome of each recipient. Expects that the counts of the broadcast add up to them. */
export async function recipientsOf(service: TestService, id: number): Promise<RecipientRow[]> {
  const { rows } = await service.database.pool.query<RecipientRow>(
    `SELECT chat_id::float8, (ARRAY['pending', NULL, 'delivered', 'not_delivered', 'unknown'])[state + 1] AS state, reason
       FROM ${firstSchema(recipientsReadModel)}.recipients WHERE broadcast_id = $1 ORDER BY chat_id`,
    [id],
  );
  const count = (...states: string[]) => rows.filter(({ state }) => states.includes(state)).length;
  expect(await sendingOf(service, id)).toMatchObject({
    count_recipients: rows.length,
    count_delivered: count('delivered'),
    count_not_delivered: count('not_delivered', 'unknown'),
    count_unknown: count('unknown'),
  });
  return rows;
}

let lastUpdate = 1;

/** Sends a message of each user to the bot. Resolves when the service knows the users. */
export async function meet(service: TestService, bot: TestBot, users: readonly number[], name = 'U'): Promise<void> {
  const date = Math.floor(Date.now() / 1000);
  const updates = users.map((id) => {
    const from = { id, is_bot: false, first_name: name };
    const message = { message_id: 1, date, chat: { id, type: 'private' }, from };
    return { update: { update_id: ++lastUpdate, message } };
  });
  const { status } = await service.post('/v1/send-batch-update', updates, { 'api-key': bot.apiKey });
  expect(status).toBe(200);
  await service.projected();
}

export async function statusOf(service: TestService, user: number): Promise<string | undefined> {
  const { rows } = await service.database.pool.query<{ user_status: string }>(
    `SELECT user_status FROM ${firstSchema(usersReadModel)}.users WHERE user_id = $1`,
    [user],
  );
  return rows[0]?.user_status;
}
