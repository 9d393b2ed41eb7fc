import type pg from 'pg';
import { auditLog, type LogFinding } from '../../src/log/log-audit.ts';
import type { EventLog, NewCommit } from '../../src/log/port.ts';
import { appendOnTop, newBot, newCommit } from './log.ts';

/** All findings of an audit, of one bot's streams if `bot` is given. */
export async function findings(log: EventLog, pool: pg.Pool, bot?: string): Promise<LogFinding[]> {
  const found: LogFinding[] = [];
  const { signal } = new AbortController();
  for await (const each of auditLog({ log, pool, key: bot, signal, onProgress: () => {}, onEnd: () => {} }))
    found.push(each);
  return found;
}

export const kinds = (found: readonly LogFinding[]) => found.map(({ kind, revision }) => [kind, revision]);

/** Appends five commits of the bot's exact stream between commits of other streams. */
export async function fillLog(log: EventLog, bot: string): Promise<void> {
  for (let n = 1; n <= 5; n++) {
    await appendOnTop(log, numbered(`bot-${bot}`, n));
    await log.append(numbered(`intake-${bot}`, n));
    await appendOnTop(log, numbered(`bot-${newBot()}`, n));
  }
}

export function numbered(name: string, n: number): NewCommit {
  return newCommit(name, { events: [{ type: 'Happened', v: 1, data: { n } }] });
}
