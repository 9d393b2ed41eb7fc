import { z } from 'zod';
import { decider } from '../decider.ts';
import { type EventOf, eventType } from '../event-type.ts';
import { SET_BACK_MS } from '../set-back.ts';

/**
 * Stream `sending-<bot>`: until when the platform has told a bot to wait (decisions.md#pause-of-a-bot). Every sender of the
 * bot reads it before its first call, whichever broadcast or instance got the 429.
 */

const until = z.number().int();

/**
 * The platform answered 429: no broadcast of the bot makes a call before `until` (milliseconds since 1970 UTC). `length_ms`: of
 * the pause; null: version 1 did not record it.
 */
export const botPaused = eventType(
  'bot_paused',
  2,
  z.object({ until, length_ms: z.number().nonnegative().nullable() }),
  {
    1: z.object({ until }).transform((data) => ({ ...data, length_ms: null })),
  },
);

export type BotPauseEvent = EventOf<typeof botPaused>;

export interface BotPauseState {
  /** Milliseconds since 1970 UTC; 0: the bot was never paused. */
  readonly until: number;
  /** Of the pause that ends then; null: not known. */
  readonly lengthMs: number | null;
}

export const NEVER_PAUSED: BotPauseState = { until: 0, lengthMs: null };

export const botPause = decider(
  [botPaused],
  () => NEVER_PAUSED,
  (state, { data: { until, length_ms } }): BotPauseState =>
    until > state.until ? { until, lengthMs: length_ms } : state,
);

/** Pauses the bot, unless it is paused for as long. */
export function pauseBot(state: BotPauseState, { until, lengthMs }: BotPauseState): BotPauseEvent[] {
  return until <= state.until ? [] : [{ type: 'bot_paused', data: { until, length_ms: lengthMs } }];
}

/**
 * Milliseconds of the pause that are left; 0: it is over. A pause that begins in the future was written before the clock was set
 * back: it is over, since the platform answers 429 again if it is not (decisions.md#wait-set-back).
 */
export function pauseLeftMs({ until, lengthMs }: BotPauseState, now: number): number {
  const leftMs = Math.max(0, until - now);
  return lengthMs !== null && leftMs > lengthMs + SET_BACK_MS ? 0 : leftMs;
}
