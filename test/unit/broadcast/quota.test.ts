import { describe, expect, it } from 'vitest';
import { activateBroadcast, cancelBroadcast } from '../../../src/commands/broadcast/activation.ts';
import { createBroadcast } from '../../../src/commands/broadcast/create-broadcast.ts';
import { giveQuotaBack, takeQuota } from '../../../src/commands/broadcast/take-quota.ts';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { createOwner } from '../../../src/commands/catalog/change-owner.ts';
import { type CommandContext, type CommandMeta, load } from '../../../src/commands/decide-and-append.ts';
import { createIdPool, type IdPool } from '../../../src/commands/reserve-ids.ts';
import { quota } from '../../../src/domain/broadcast/quota.ts';
import { DEFAULT_SETTINGS } from '../../../src/domain/broadcast/settings.ts';
import { Rejection } from '../../../src/domain/rejection.ts';
import { quotaStream } from '../../../src/domain/streams.ts';
import { type EventLog, LogUnavailableError, OutcomeUnknownError } from '../../../src/log/port.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

const JANUARY = Date.UTC(2026, 0, 31, 23, 59, 30);
const FEBRUARY = Date.UTC(2026, 1, 1);
const content = {
  name: null,
  message: { text: 'Hello' },
  segmentations: '{"include":[],"exclude":[]}',
  settings: DEFAULT_SETTINGS,
  date_send: null,
};
const isReady = () => undefined;

interface World extends CommandContext {
  readonly log: MemoryLog;
  readonly ownerId: number;
  readonly bot: string;
  readonly ids: IdPool;
  at(now: number): void;
}

/** An owner with so many broadcasts a month. */
async function world(limit: number): Promise<World> {
  const log = memoryLog(2);
  let now = JANUARY;
  const sources = { ...testSources(), now: () => now };
  const context = { log, sources };
  const owner = { name: 'Ann', currency: 'EUR', plan: 'premium', broadcastsPerMonth: limit } as const;
  const { ownerId } = await createOwner(context, owner);
  const { publicKey } = await createBot(context, { ownerId, name: 'Shop' });
  const at = (time: number): void => {
    now = time;
  };
  return { ...context, ownerId, bot: publicKey, ids: createIdPool(context, 'broadcast'), at };
}

const draft = async (context: World): Promise<number> => {
  const { ids, ownerId, bot } = context;
  const command = { ids, bot, ownerId, type: 'sendMessage', content, activate: null } as const;
  return (await createBroadcast(context, command, {})).broadcast.id;
};
const activate = (context: World, id: number, meta: CommandMeta = {}) => {
  const { ownerId, bot } = context;
  return activateBroadcast(context, { ownerId, bot, id, changes: {}, ready: isReady }, meta);
};
const launch = (context: World, meta: CommandMeta = {}) => {
  const { ids, ownerId, bot } = context;
  return createBroadcast(context, { ids, ownerId, bot, type: 'sendMessage', content, activate: isReady }, meta);
};
const cancel = (context: World, id: number, meta: CommandMeta = {}) =>
  cancelBroadcast(context, { ownerId: context.ownerId, bot: context.bot, id }, meta);

const exhausted = { code: 'limit', message: 'mailing_not_allowed' };
/** How many count. */
async function counted({ log, ownerId }: World): Promise<number> {
  const { state } = await load(log, quota, quotaStream(ownerId));
  return [...state.values()].filter(({ givenBack }) => !givenBack).length;
}

describe('broadcasts of a month', () => {
  it('are never more than the owner may launch, however many come at once', async () => {
    const context = await world(3);
    const ids = await Promise.all(Array.from({ length: 100 }, () => draft(context)));
    const outcomes = await Promise.allSettled(ids.map((id) => activate(context, id)));
    const done = outcomes.filter(({ status }) => status === 'fulfilled');
    expect(done).toHaveLength(3);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(exhausted);
    expect(await counted(context)).toBe(3);
    await expect(launch(context)).rejects.toMatchObject(exhausted);
  });

  it('create nothing when there is no room', async () => {
    const context = await world(0);
    const before = context.log.commits.flat().filter(({ stream }) => stream.startsWith('broadcast-'));
    await expect(launch(context)).rejects.toMatchObject(exhausted);
    const id = await draft(context);
    await expect(activate(context, id)).rejects.toMatchObject(exhausted);
    const after = context.log.commits.flat().filter(({ stream }) => stream.startsWith('broadcast-'));
    expect(after.length - before.length).toBe(1);
  });

  it('begin again with the month of UTC', async () => {
    const context = await world(1);
    await launch(context);
    context.at(FEBRUARY - 1);
    await expect(launch(context)).rejects.toMatchObject(exhausted);
    context.at(FEBRUARY);
    await launch(context);
    await expect(launch(context)).rejects.toMatchObject(exhausted);
  });

  it('do not count what was cancelled before it was picked up, as often as that happens', async () => {
    const context = await world(1);
    const id = await draft(context);
    for (let i = 0; i < 3; i++) {
      expect((await activate(context, id)).broadcast.status).toBe(1);
      expect((await cancel(context, id)).broadcast.status).toBe(0);
      expect((await cancel(context, id)).broadcast.status).toBe(0);
    }
    expect(await counted(context)).toBe(0);
    await launch(context);
    await expect(activate(context, id)).rejects.toMatchObject(exhausted);
  });

  it('count one that is activated twice at once only once', async () => {
    const context = await world(5);
    const id = await draft(context);
    const all = await Promise.all([activate(context, id), activate(context, id), activate(context, id)]);
    expect(all.map(({ broadcast }) => broadcast.launch)).toEqual([1, 1, 1]);
    expect(await counted(context)).toBe(1);
  });

  it('count nothing that is refused for another reason', async () => {
    const context = await world(1);
    const refusal = new Rejection('invalid', 'message.text', 'text is required');
    const { ownerId, bot } = context;
    const id = await draft(context);
    const command = { ownerId, bot, id, changes: {}, ready: () => refusal };
    await expect(activateBroadcast(context, command, {})).rejects.toBe(refusal);
    expect(await counted(context)).toBe(0);
  });
});

describe('a repeat by its key', () => {
  const meta = (key: string): CommandMeta => ({ command: { id: `01941f29-7c00-5000-8000-00000000000${key}` } });

  it('is what it was first, though there is no room any more', async () => {
    const context = await world(2);
    const id = await draft(context);
    const first = await activate(context, id, meta('1'));
    const created = await launch(context, meta('2'));
    expect((await activate(context, id, meta('1'))).broadcast).toEqual(first.broadcast);
    expect(await launch(context, meta('2'))).toMatchObject({
      broadcast: created.broadcast,
      repeated: { stream: `broadcast-${context.bot}/${created.broadcast.id}` },
    });
    expect(await counted(context)).toBe(2);
  });

  it('is that too after it was cancelled, and counts no more', async () => {
    const context = await world(1);
    const first = await launch(context, meta('1'));
    await cancel(context, first.broadcast.id, meta('2'));
    await launch(context);
    expect((await launch(context, meta('1'))).broadcast).toEqual(first.broadcast);
    const again = await cancel(context, first.broadcast.id, meta('2'));
    expect(again.repeated).not.toBeNull();
    expect(again.broadcast.status).toBe(0);
    expect(await counted(context)).toBe(1);
  });

  it('of what changed nothing changes nothing later', async () => {
    const context = await world(2);
    const id = await draft(context);
    await cancel(context, id, meta('1'));
    await activate(context, id);
    expect((await cancel(context, id, meta('1'))).broadcast.status).toBe(0);
    expect((await cancel(context, id)).broadcast).toMatchObject({ status: 0 });
    expect(await counted(context)).toBe(0);
  });
});

describe('a count whose broadcast was not activated', () => {
  const activation = '01941f29-7c00-7000-8000-00000000000a';
  const take = (context: World, id: number) =>
    takeQuota(context, context.ownerId, { activation, broadcast_id: id, bot: context.bot });

  it('is found when there is no room, once it is old', async () => {
    const context = await world(1);
    context.at(FEBRUARY);
    const id = await draft(context);
    // The instance that counted died before the activation.
    await take(context, id);
    context.at(FEBRUARY + 59_000);
    await expect(launch(context)).rejects.toMatchObject(exhausted);
    context.at(FEBRUARY + 61_000);
    await launch(context);
    await expect(launch(context)).rejects.toMatchObject(exhausted);
    expect(await counted(context)).toBe(1);
  });

  it('is given back if the broadcast certainly was not activated, and kept if that is unknown', async () => {
    const context = await world(1);
    context.at(FEBRUARY);
    const id = await draft(context);
    const failing = (error: Error): World => ({ ...context, log: refusing(context.log, error) });
    await expect(activate(failing(new LogUnavailableError('down')), id)).rejects.toThrow('down');
    expect(await counted(context)).toBe(0);
    await expect(activate(failing(new OutcomeUnknownError('cut off')), id)).rejects.toThrow('cut off');
    expect(await counted(context)).toBe(1);
    // It never came into the log: as above.
    context.at(FEBRUARY + 61_000);
    await activate(context, id);
    expect(await counted(context)).toBe(1);
  });

  it('is not used when it comes too late', async () => {
    const context = await world(1);
    context.at(FEBRUARY);
    const id = await draft(context);
    const slow = (): World => ({ ...context, log: slowly(context.log, () => context.at(FEBRUARY + 31_000)) });
    await expect(activate(slow(), id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await counted(context)).toBe(0);
  });

  it('is counted again by a repeat, in the month that it is then', async () => {
    const context = await world(1);
    const id = await draft(context);
    await take(context, id);
    context.at(FEBRUARY + 10_000);
    await take(context, id);
    const { state } = await load(context.log, quota, quotaStream(context.ownerId));
    expect([...state.values()]).toMatchObject([{ month: '2026-02', givenBack: false }]);
    await giveQuotaBack(context, context.ownerId, activation);
    await giveQuotaBack(context, context.ownerId, activation);
    expect(await counted(context)).toBe(0);
  });
});

/** Fails to append to broadcasts. */
function refusing(log: MemoryLog, error: Error): MemoryLog {
  const append: EventLog['append'] = async (commit) => {
    if (commit.stream.startsWith('broadcast-')) throw error;
    return log.append(commit);
  };
  return { ...log, append };
}

/** Time passes after something was counted. */
function slowly(log: MemoryLog, pass: () => void): MemoryLog {
  const append: EventLog['append'] = async (commit) => {
    const appended = await log.append(commit);
    if (commit.stream.startsWith('quota-')) pass();
    return appended;
  };
  return { ...log, append };
}
