import type { ClientBase } from 'pg';
import { findByKey } from '../by-key.ts';
import { parts } from '../parts.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';
import { forget } from '../update-memory.ts';
import { priceEvents } from './amounts.ts';
import { type Bot, saveBots, type Tail, type User } from './bots.ts';
import { byMoment } from './draft.ts';
import { ERROR_MEMORY_MS, foldBatch, PENDING_MS } from './fold.ts';
import { judgeChanges, judgeEvents } from './judge.ts';
import { loadBatch } from './load.ts';
import { storeMoney } from './money.ts';
import { placeAppSessions, placeSessions } from './sessions.ts';
import { EVENTS_DDL } from './tables.ts';
import { tailCache } from './tails.ts';
import { writeUnknownUsers } from './unknown-users.ts';
import { identifyUtms, isLate, placeUtms } from './utm.ts';
import { countEvents, writeEvents, writeEventTypes, writeMemories } from './write.ts';

/**
 * Events with their sessions, UTM and amounts, the types of events, and bot errors. They are one read model because
 * whether an item counts, waits for its user or is an error is one decision, made in one transaction.
 */
export const eventsReadModel: ReadModel = {
  name: 'events',
  version: 1,
  categories: ['bot', 'eventtypes', 'intake', 'owner', 'fx'],
  ddl: EVENTS_DDL,
  async apply(tx, commits) {
    await findByKey(tx);
    for (const part of parts(commits)) await applyPart(tx, part);
  },
};

const tails = tailCache();

async function applyPart(tx: ClientBase, commits: readonly ReadCommit[]): Promise<void> {
  const money = await storeMoney(tx, commits);
  const bots = await loadBatch(tx, commits, tails);
  const outcome = foldBatch(bots, commits);
  for (const bot of bots.values()) tails.check(bot);
  if (bots.size > 0) {
    await writeEventTypes(tx, outcome.eventTypes);
    await identifyUtms(tx, bots.values());
    const writer = await saveBots(tx, bots.values());
    const users = [...bots.values()]
      .flatMap((bot) => [...bot.users.values()])
      .filter(({ events }) => events.length > 0);
    for (const { events } of users) events.sort(byMoment);
    await placeSessions(tx, users);
    await placeAppSessions(tx, users);
    await placeUtms(tx, users);
    const events = users.flatMap((user) => user.events);
    const owners = new Map([...bots.values()].map(({ bot_id, owner_id }: Bot) => [bot_id, owner_id]));
    const unpriced = await priceEvents(tx, events, ({ bot_id }) => owners.get(bot_id)!);
    await writeEvents(tx, events);
    await writeMemories(tx, outcome);
    await countEvents(tx, events);
    await writeUnknownUsers(tx, outcome);
    await judgeEvents(tx, unpriced);
    const memories = [...bots.values()].map(({ memory }) => memory);
    await forget(tx, memories, 'pending_events', 'received', PENDING_MS);
    await forget(tx, memories, 'bot_errors', 'date', ERROR_MEMORY_MS);
    for (const { bot_id } of bots.values()) tails.note(bot_id, writer);
    for (const user of users)
      if (isLate(user)) tails.delete(user);
      else tails.set(user, tailOf(user));
  }
  await judgeChanges(tx, money);
}

function tailOf({ events }: User): Tail {
  const { date, ord, session, utm_id } = events.at(-1)!;
  return { date, ord, session, utm_id };
}
