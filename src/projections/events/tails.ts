import type { Bot, Tail, User } from './bots.ts';

/**
 * The last events of users, kept in memory from batch to batch: reading them takes as long as writing the new ones
 * (4.5 and 5 µs an event), and most events are of users seen lately.
 *
 * What is kept of a bot holds as long as nobody but this cache's own batches wrote to the bot. Every batch writes the
 * bot's row, so the transaction that wrote it last (`xmin`) tells: after a rollback, or after another projector's turn,
 * it is another than the one noted here, and all of the bot is forgotten.
 */
export interface TailCache {
  /** Forgets a bot whose row, as loaded, was written by another than noted. */
  check(bot: Bot): void;
  get(bot: Bot, userId: number): Tail | undefined;
  set(user: User, tail: Tail): void;
  delete(user: User): void;
  /** Notes who now wrote the bot's row. */
  note(bot: Bot, writer: string): void;
}

interface Kept {
  writer: string | null;
  readonly tails: Map<number, Tail>;
}

/** @param limit tails kept at most, over all bots; 100,000 take some 15 MB. Beyond it all are dropped. */
export function tailCache(limit = 200_000): TailCache {
  const bots = new Map<number, Kept>();
  let size = 0;

  function keptOf(botId: number): Kept {
    let kept = bots.get(botId);
    if (kept === undefined) {
      kept = { writer: null, tails: new Map() };
      bots.set(botId, kept);
    }
    return kept;
  }

  function check({ bot_id, writer }: Bot): void {
    const kept = keptOf(bot_id);
    if (kept.writer === writer) return;
    size -= kept.tails.size;
    kept.tails.clear();
  }

  return {
    check,
    get: ({ bot_id }, userId) => bots.get(bot_id)?.tails.get(userId),
    set({ bot, user_id }, tail) {
      if (size >= limit) {
        for (const { tails } of bots.values()) tails.clear();
        size = 0;
      }
      const { tails } = keptOf(bot.bot_id);
      if (!tails.has(user_id)) size++;
      tails.set(user_id, tail);
    },
    delete({ bot, user_id }) {
      if (bots.get(bot.bot_id)?.tails.delete(user_id)) size--;
    },
    note(bot, writer) {
      check(bot); // a bot that was not there when the batch was loaded may have been there before, and rolled back
      keptOf(bot.bot_id).writer = writer;
    },
  };
}
