import type { IconName } from './icon.tsx';

/** Ids of system events (docs/decisions.md#platform-updates). */
const MONEY: readonly number[] = [3, 9];
const MESSAGES: readonly number[] = [1, 2, 4, 5, 6, 7, 8];

/** The icon of the kind of an event: money, a message of the platform, or one of the bot's own. */
export function eventIcon(event: number, amount: unknown): IconName {
  if (amount !== null || MONEY.includes(event)) return 'money';
  return MESSAGES.includes(event) ? 'message' : 'events';
}
