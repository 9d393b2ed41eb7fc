import type { AccountEvent } from '../../domain/referral/account/account.ts';
import type { HistoryRow } from '../../domain/referral/account/history.ts';

/** So many are named; the rest are counted. */
const NAMED = 20;

/**
 * Why positions of an account are missing in a list of its history, a line for each reason.
 * @param history rows of every unit
 * @param listed those that are in the list
 */
export function passedOver(
  commits: readonly { readonly revision: number; readonly events: readonly AccountEvent[] }[],
  history: readonly HistoryRow[],
  listed: readonly HistoryRow[],
): string[] {
  const positionsOf = (rows: readonly HistoryRow[]) => new Set(rows.map(({ position }) => position));
  const [moving, shown] = [positionsOf(history), positionsOf(listed)];
  const still = commits.filter(({ revision }) => !moving.has(revision));
  const types = [...new Set(still.flatMap(({ events }) => events.map(({ type }) => type)))];
  const others = commits.filter(({ revision }) => moving.has(revision) && !shown.has(revision));
  return [
    ...reason(still, (one) => `${one ? 'it moves' : 'they move'} no balance: ${types.join(', ')}`),
    ...reason(others, (one) => `${one ? 'it is' : 'they are'} of another unit`),
  ];
}

function reason(commits: readonly { readonly revision: number }[], why: (isOne: boolean) => string): string[] {
  if (commits.length === 0) return [];
  const isOne = commits.length === 1;
  const named = commits.slice(0, NAMED).map(({ revision }) => revision);
  const more = commits.length > NAMED ? ` and ${commits.length - NAMED} more` : '';
  const noun = isOne ? 'position' : 'positions';
  return [`${noun} ${named.join(', ')}${more} ${isOne ? 'is' : 'are'} passed over, since ${why(isOne)}`];
}
