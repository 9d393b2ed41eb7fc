import { describe, expect, it } from 'vitest';
import { changeBot, createBot } from '../../../src/commands/catalog/change-bot.ts';
import { createOwner } from '../../../src/commands/catalog/change-owner.ts';
import type { CommandContext } from '../../../src/commands/decide-and-append.ts';
import { botChanged, botCreated } from '../../../src/domain/catalog/catalog-events.ts';
import { UnreadableEventError } from '../../../src/domain/event-type.ts';
import { secretSubject } from '../../../src/domain/sealing.ts';
import { catalogReadModel } from '../../../src/projections/catalog/read-model.ts';
import { readCommits } from '../../../src/projections/runtime/read-commits.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

const TOKEN = '123456:AAbb-Ccdd_Ee';

async function botWithToken(): Promise<CommandContext & { log: MemoryLog; bot: string }> {
  const context = { log: memoryLog(), sources: testSources() };
  const owner = { name: 'Ann', currency: 'EUR', plan: 'free', broadcastsPerMonth: 10 } as const;
  const { ownerId } = await createOwner(context, owner);
  const { publicKey } = await createBot(context, { ownerId, name: 'Shop', token: TOKEN });
  return { ...context, bot: publicKey };
}

/** The tokens in the bot's events, in order, as the catalog reads them. */
async function opened({ log, bot }: { log: MemoryLog; bot: string }): Promise<unknown[]> {
  const commits = log.commits.flat().filter(({ stream }) => stream === `bot-${bot}`);
  const read = await readCommits(catalogReadModel, commits, log.keys);
  return read.flatMap(({ events }) =>
    events.map((event) =>
      event.type === 'bot_created' || event.type === 'bot_changed' ? event.data.token : event.type,
    ),
  );
}

describe("a bot's token", () => {
  it('is not in the log in clear, and the catalog reads it', async () => {
    const context = await botWithToken();
    await changeBot(context, context.bot, { token: '7:new' });
    await changeBot(context, context.bot, { token: null });
    await changeBot(context, context.bot, { name: 'Other' });
    const text = JSON.stringify(context.log.commits);
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain('7:new');
    expect(await opened(context)).toEqual([TOKEN, '7:new', null, undefined]);
  });

  it('is gone after the key of the bot is forgotten', async () => {
    const context = await botWithToken();
    await context.log.keys.forget(secretSubject(context.bot));
    expect(await opened(context)).toEqual([null]);
  });

  it('of one bot does not open as that of another', async () => {
    const context = await botWithToken();
    const [commit] = context.log.commits.flat().filter(({ stream }) => stream === `bot-${context.bot}`);
    const moved = readCommits(catalogReadModel, [{ ...commit!, stream: 'bot-bOther' }], context.log.keys);
    await expect(moved).rejects.toThrow(UnreadableEventError);
  });

  it('is refused before it is sealed if it is malformed, and so is an unknown bot', async () => {
    const context = await botWithToken();
    await expect(changeBot(context, context.bot, { token: '1/../2' })).rejects.toMatchObject({
      code: 'invalid',
      path: 'token',
    });
    await expect(changeBot(context, 'bNone', { token: TOKEN })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('cannot be written in clear, and is read in clear from events of version 1', () => {
    expect(() => botChanged.create({ token: TOKEN })).toThrow(/token/);
    expect(botChanged.read({ type: 'bot_changed', v: 1, data: { token: TOKEN } }).data).toEqual({ token: TOKEN });
    const created = {
      ...{ name: 'Shop', username: null, token: TOKEN, timezone: 'UTC', pair_separator: '_', value_separator: '-' },
      ...{ referral_new_users_only: false, auto_payout: 'off' as const, paid_broadcasts: false },
      ...{ bot_id: 1, public_key: 'bShop', owner_id: 1, webhook_secret_hash: 'h' },
    };
    expect(() => botCreated.create(created)).toThrow(/token/);
    expect(botCreated.read({ type: 'bot_created', v: 1, data: created }).data).toEqual(created);
  });
});
