import { z } from 'zod';
import { decider } from '../decider.ts';
import { type EventOf, eventType } from '../event-type.ts';

/**
 * Stream `sending-<bot>`: until when the platform has told a bot to wait (decisions.md#pause-of-a-bot). Every sender of the
 * bot reads it before its first call, whichever broadcast or instance got the 429.
 */

/** The platform answered 429: no broadcast of the bot makes a call before `until` (milliseconds since 1970 UTC). */
export const botPaused = eventType('bot_paused', 1, z.object({ until: z.number().int() }));

export type BotPauseEvent = EventOf<typeof botPaused>;

export interface BotPauseState {
  /** Milliseconds since 1970 UTC; 0: the bot was never paused. */
  readonly until: number;
}

export const botPause = decider(
  [botPaused],
  (): BotPauseState => ({ until: 0 }),
  (state, { data: { until } }): BotPauseState => ({ until: Math.max(state.until, until) }),
);

/** Pauses the bot, unless it is paused for as long. */
export function pauseBot(state: BotPauseState, until: number): BotPauseEvent[] {
  return until <= state.until ? [] : [{ type: 'bot_paused', data: { until } }];
}
