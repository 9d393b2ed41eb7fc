import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { createOwner } from '../../../src/commands/catalog/change-owner.ts';
import { createDemo } from '../../../src/commands/catalog/create-demo.ts';
import { createGoal } from '../../../src/commands/catalog/create-goal.ts';
import { issueKey, rotateKey } from '../../../src/commands/catalog/keys.ts';
import { setExchangeRates } from '../../../src/commands/catalog/set-exchange-rates.ts';
import { createUnit } from '../../../src/commands/catalog/units.ts';
import { type CommandContext, load } from '../../../src/commands/decide-and-append.ts';
import { createEventTypeDirectory } from '../../../src/commands/intake/event-type-directory.ts';
import { createRule } from '../../../src/commands/referral/change-rule.ts';
import { bot } from '../../../src/domain/catalog/bot.ts';
import { owner } from '../../../src/domain/catalog/owner.ts';
import { botStream, ownerStream } from '../../../src/domain/streams.ts';
import type { EventLog } from '../../../src/log/port.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

const ANN = { name: 'Ann', currency: 'EUR', plan: 'free', broadcastsPerMonth: 10 } as const;

function fixture(log = memoryLog()): CommandContext & { log: MemoryLog } {
  return { log, sources: testSources() };
}

async function withBot(context: CommandContext) {
  const { ownerId } = await createOwner(context, ANN);
  return { ownerId, bot: await createBot(context, { ownerId, name: 'Shop' }) };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('commands of the catalog', () => {
  it('give owners, bots and units small ids of their own kind', async () => {
    const context = fixture();
    const first = await withBot(context);
    const second = await withBot(context);
    expect([first.ownerId, second.ownerId]).toEqual([1, 2]);
    const states = await Promise.all(
      [first, second].map((one) => load(context.log, bot, botStream(one.bot.publicKey))),
    );
    expect(states.map(({ state }) => state.bot?.bot_id)).toEqual([1, 2]);
    const unit = { code: 'GEM', name: null };
    expect(await createUnit(context, { bot: first.bot.publicKey, ...unit })).toMatchObject({ unitId: 1 });
    expect(await createUnit(context, { bot: second.bot.publicKey, ...unit })).toMatchObject({ unitId: 2 });
  });

  it('store only the hash of a secret', async () => {
    const context = fixture();
    const { ownerId, bot: created } = await withBot(context);
    const { apiKey, keyId } = await issueKey(context, {
      ownerId,
      bots: [created.publicKey, created.publicKey],
      kind: 'personal',
      name: null,
      expiresAt: null,
    });
    const rotated = await rotateKey(context, { ownerId, keyId, overlap: 1000 });
    const { state } = await load(context.log, owner, ownerStream(ownerId));
    for (const [id, text] of [[keyId, apiKey] as const, [rotated.keyId, rotated.apiKey] as const]) {
      const [publicPart, secret] = text.split(':') as [string, string];
      expect(publicPart).toBe(created.publicKey);
      expect(secret).toMatch(/^[\w-]{43}$/);
      expect(state.keys.get(id)?.secret_hash).toBe(sha256(secret));
      expect(JSON.stringify(context.log.commits)).not.toContain(secret);
    }
    expect(JSON.stringify(context.log.commits)).not.toContain(created.webhookSecret);
  });

  it('issue keys only for bots of the owner', async () => {
    const context = fixture();
    const { bot: other } = await withBot(context);
    const { ownerId } = await withBot(context);
    const key = { ownerId, kind: 'service', name: null, expiresAt: null } as const;
    const refused = { code: 'not_found', path: 'bot' };
    await expect(issueKey(context, { ...key, bots: [other.publicKey] })).rejects.toMatchObject(refused);
    await expect(issueKey(context, { ...key, bots: ['bNone'] })).rejects.toMatchObject(refused);
    await expect(issueKey(context, { ...key, ownerId: 9, bots: 'all' })).rejects.toMatchObject({ path: 'owner' });
  });

  it('give goals and names one sequence; the directory finds a goal created after its look-up', async () => {
    const context = fixture();
    const { publicKey } = (await withBot(context)).bot;
    const directory = createEventTypeDirectory(context);
    await directory.resolve(publicKey, ['buy']);
    expect(await directory.goals(publicKey, [1])).toEqual(new Map([[1, 100]]));
    expect(await directory.goals(publicKey, [5])).toEqual(new Map());
    expect(await createGoal(context, { bot: publicKey, targetId: 5, name: 'Sign-up' })).toMatchObject({ eventId: 102 });
    expect(await directory.goals(publicKey, [5, 1])).toEqual(
      new Map([
        [5, 102],
        [1, 100],
      ]),
    );
  });

  it('refuse an unknown bot', async () => {
    const context = fixture();
    const refused = { code: 'not_found', path: 'bot' };
    await expect(createGoal(context, { bot: 'bNone', targetId: 5, name: 'x' })).rejects.toMatchObject(refused);
    await expect(createUnit(context, { bot: 'bNone', code: 'GEM', name: null })).rejects.toMatchObject(refused);
    expect(context.log.commits.flat()).toEqual([]);
  });

  it('append nothing, no id either, when they are refused', async () => {
    const context = fixture();
    const { ownerId, bot: shop } = await withBot(context);
    const size = context.log.commits.flat().length;
    const key = { ownerId, kind: 'owner', name: null, expiresAt: null } as const;
    const rule = {
      bot: shop.publicKey,
      name: 'Sale',
      trigger_event_id: 1,
      unit_id: null,
      amount: null,
      hold_days: '0',
    };
    const refused = [
      issueKey(context, { ...key, bots: 'all', expiresAt: 1 }),
      rotateKey(context, { ownerId, keyId: 99, overlap: 0 }),
      createBot(context, { ownerId, name: '' }),
      createBot(context, { ownerId, name: 'Shop', token: 'nonsense' }),
      createUnit(context, { bot: shop.publicKey, code: 'USD', name: null }),
      createRule(context, { ...rule, reward_type: 'percent', percent: '101' }),
    ];
    expect((await Promise.allSettled(refused)).map(({ status }) => status)).toEqual(refused.map(() => 'rejected'));
    expect(context.log.commits.flat()).toHaveLength(size);
  });

  it('set a long list of rates whole: a wrong rate at its end leaves none', async () => {
    const context = fixture();
    const rates = Array.from({ length: 5001 }, (_, index) => ({
      from: 'EUR',
      to: 'USD',
      rate: '1.1',
      date: new Date(index * 86_400_000).toJSON().slice(0, 10),
    }));
    const wrong = [...rates, { ...rates[0]!, rate: '0' }];
    await expect(setExchangeRates(context, wrong)).rejects.toMatchObject({ path: '5001.rate' });
    expect(context.log.commits.flat()).toEqual([]);
    await setExchangeRates(context, rates);
    expect(context.log.commits.flat().map(({ events }) => events.length)).toEqual([5000, 1]);
  });
});

/** The file that keeps the secret has separate tests. */
const nowhere = { kept: null, keep: async () => {} };

describe('the demo', () => {
  it('is created once, with an owner key for its one bot and the premium plan', async () => {
    const context = fixture();
    const demo = await createDemo(context, nowhere);
    expect(demo).toMatchObject({ ownerId: 1, bot: 'demo', apiKey: expect.stringMatching(/^demo:/) });
    const { state } = await load(context.log, owner, ownerStream(1));
    expect(state.owner).toMatchObject({ demo: true, plan: 'premium' });
    expect([...state.keys.values()]).toMatchObject([{ kind: 'owner', scope: { type: 'bots', bots: ['demo'] } }]);
    const size = context.log.commits.flat().length;
    expect(await createDemo(context, nowhere)).toBeNull();
    expect(context.log.commits.flat()).toHaveLength(size);
  });

  it('is not created if there is an owner', async () => {
    const context = fixture();
    await createOwner(context, ANN);
    expect(await createDemo(context, nowhere)).toBeNull();
  });

  it('is created by one of several starts at once', async () => {
    const log = memoryLog();
    const starts = ['a', 'b', 'c', 'd'].map((seed) => createDemo({ log, sources: testSources(0, seed) }, nowhere));
    const keys = (await Promise.all(starts)).filter((demo) => demo !== null);
    expect(keys).toHaveLength(1);
    const { state } = await load(log, owner, ownerStream(1));
    expect(state.keys.size).toBe(1);
    expect((await load(log, owner, ownerStream(2))).state.owner).toBeNull();
  });

  it('is finished by the next start, wherever the first one crashed', async () => {
    const whole = fixture();
    await createDemo(whole, nowhere);
    const appends = whole.log.commits.flat().length;
    for (let survives = 0; survives < appends; survives++) {
      const context = fixture();
      await expect(createDemo({ ...context, log: dyingAfter(survives, context.log) }, nowhere)).rejects.toThrow('died');
      const demo = await createDemo(context, nowhere);
      expect(demo).toMatchObject({ ownerId: 1, bot: 'demo' });
      expect((await load(context.log, owner, ownerStream(1))).state.keys.size).toBe(1);
    }
  });

  it('takes an id that was reserved for an owner not created yet, who gets the next id', async () => {
    const context = fixture();
    let demo: Promise<unknown> | undefined;
    const log: EventLog = {
      ...context.log,
      async append(commit) {
        if (commit.stream === ownerStream(1)) {
          demo ??= createDemo(context, nowhere);
          await demo;
        }
        return context.log.append(commit);
      },
    };
    expect((await createOwner({ ...context, log }, ANN)).ownerId).toBe(2);
    expect(await demo).toMatchObject({ ownerId: 1 });
  });
});

function dyingAfter(appends: number, log: EventLog): EventLog {
  let left = appends;
  return { ...log, append: (commit) => (left-- > 0 ? log.append(commit) : Promise.reject(new Error('died'))) };
}
