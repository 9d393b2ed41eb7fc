import { describe, expect } from 'vitest';
import { CHUNK_EVENTS } from '../../../src/columns/chunk.ts';
import { NEWEST_EVENTS } from '../../../src/projections/events/packed/due.ts';
import { longRows } from '../../support/long-only.ts';
import type { RewardProgram } from '../../support/reward-program.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { describeRefunds } from './refunds.suite.ts';

describe('a refund', () => describeRefunds(() => startTestService()));

/** Fills a chunk, so that the earlier events of the bot, by date and by log, are packed. */
async function packed({ database, projected }: TestService, { bot, send }: RewardProgram): Promise<void> {
  for (let sent = 0; sent < CHUNK_EVENTS + NEWEST_EVENTS; sent += 1000)
    await send(...Array.from({ length: 1000 }, () => ({ event: 'click', user_id: 1 })));
  await projected();
  await expect
    .poll(async () => {
      const { rows } = await database.pool.query<{ packed: number }>(
        'SELECT packed::int FROM events_v1.timelines JOIN events_v1.bots USING (bot_id) WHERE public_key = $1',
        [bot.publicKey],
      );
      return rows[0]?.packed;
    })
    .toBe(CHUNK_EVENTS);
}

describe.each(longRows(['packed']))('a refund whose charge is %s', () =>
  describeRefunds(() => startTestService(), packed),
);
