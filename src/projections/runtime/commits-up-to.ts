import type { Cursor, EventLog } from '../../log/port.ts';

/** Told how many commits of the log are done, of how many there are; both are upper bounds. */
export type OnCommits = (done: number, total: number) => void;

/** How many commits the log has up to there, and in all. */
export async function commitsUpTo(log: EventLog, cursor: Cursor): Promise<{ done: number; total: number }> {
  const left = (await log.lag(cursor)).commits;
  const total = Math.max(left, (await log.lag(new Map())).commits); // both are estimates
  return { done: total - left, total };
}
