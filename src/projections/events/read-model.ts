import type { ClientBase } from 'pg';
import type { ReadCommit, ReadModel } from '../read-model.ts';
import { priceEvents } from './amounts.ts';
import { type Bot, saveBots } from './bots.ts';
import { byMoment } from './draft.ts';
import { foldBatch } from './fold.ts';
import { judgeChanges, judgeEvents } from './judge.ts';
import { loadBatch } from './load.ts';
import { storeMoney } from './money.ts';
import { placeAppSessions, placeSessions } from './sessions.ts';
import { EVENTS_DDL } from './tables.ts';
import { forget, writeUnknownUsers } from './unknown-users.ts';
import { identifyUtms, placeUtms } from './utm.ts';
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
    for (const part of parts(commits)) await applyPart(tx, part);
  },
};

/** Bounds the memory that a batch takes: 1,000 commits may hold a million items. */
const MAX_ITEMS = 20_000;

function* parts(commits: readonly ReadCommit[]): Generator<ReadCommit[]> {
  let part: ReadCommit[] = [];
  let items = 0;
  for (const commit of commits) {
    part.push(commit);
    for (const { data } of commit.events) items += 'items' in data ? data.items.length : 1;
    if (items < MAX_ITEMS) continue;
    yield part;
    part = [];
    items = 0;
  }
  if (part.length > 0) yield part;
}

async function applyPart(tx: ClientBase, commits: readonly ReadCommit[]): Promise<void> {
  const money = await storeMoney(tx, commits);
  const bots = await loadBatch(tx, commits);
  const outcome = foldBatch(bots, commits);
  if (bots.size > 0) {
    await writeEventTypes(tx, outcome.eventTypes);
    await identifyUtms(tx, bots.values());
    await saveBots(tx, bots.values());
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
    await forget(tx, bots.values());
  }
  await judgeChanges(tx, money);
}
