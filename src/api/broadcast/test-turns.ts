import { type BotPauseState, pauseLeftMs } from '../../domain/broadcast/bot-pause.ts';
import type { Sources } from '../../domain/sources.ts';
import { ApiError, unavailable } from '../api-errors.ts';

/** Test sends under way at once, of all bots: as many as there are connections, so that none waits for one. */
export const MAX_TEST_SENDS = 16;
/** Of one bot, so that it does not keep others from sending while the platform is slow. */
const MAX_OF_BOT = 2;
const GAP_MS = 1000;
/** With more bots than this in the last second, bots that may test again are forgotten. */
const MAX_BOTS = 1000;

/** When each bot may send its next test (decisions.md#test-send). */
export interface TestTurns {
  /**
   * Takes a turn of a bot. No test waits for its turn.
   * @param units messages that the platform counts
   * @param paused the pause that the platform asked of the bot
   * @returns to be called when the test has ended
   * @throws ApiError 429 for the bot, 503 if there are too many of all bots
   */
  take(bot: string, units: number, paused: BotPauseState): () => void;
  /** Makes the bot's next test wait for `ms` from now. */
  rest(bot: string, ms: number): void;
}

/** @param elapsed monotonic milliseconds */
export function createTestTurns({
  now,
  elapsed,
}: Pick<Sources, 'now'> & { readonly elapsed: () => number }): TestTurns {
  const nextAt = new Map<string, number>();
  /** The bot of each test under way. */
  const underWay: string[] = [];
  return {
    take(bot, units, paused) {
      const leftMs = pauseLeftMs(paused, now());
      if (leftMs > 0) throw tooSoon('the platform has asked the bot to slow down', leftMs);
      const at = elapsed();
      const next = nextAt.get(bot) ?? 0;
      if (next > at) throw tooSoon('a bot sends one test a second', next - at);
      if (underWay.filter((each) => each === bot).length >= MAX_OF_BOT)
        throw tooSoon(`${MAX_OF_BOT} tests of the bot wait for the platform`, GAP_MS);
      if (underWay.length >= MAX_TEST_SENDS) throw unavailable('too many tests wait for the platform, try again');
      if (nextAt.size >= MAX_BOTS) for (const [other, time] of nextAt) if (time <= at) nextAt.delete(other);
      nextAt.set(bot, at + units * GAP_MS);
      underWay.push(bot);
      return () => void underWay.splice(underWay.indexOf(bot), 1);
    },
    rest(bot, ms) {
      nextAt.set(bot, elapsed() + ms);
    },
  };
}

export function tooSoon(why: string, ms: number): ApiError {
  const seconds = Math.ceil(ms / 1000);
  return new ApiError(429, `${why}: try again in ${seconds} s`, [], seconds);
}
