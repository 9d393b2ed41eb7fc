import { connect } from 'node:net';
import type { Config } from '../config.ts';
import { isDatabaseDown } from '../database/errors.ts';
import type { Address } from '../log/engine.ts';
import { databaseStartError } from './start-error.ts';
import { NotYetError } from './start-wait.ts';

/**
 * Tells slowness at a start, for which the start waits, from a fault that the operator must correct, which ends the start
 * (README.md beside this file, "A start").
 */

/** What PostgreSQL answers when it is there and cannot serve yet: it starts or stops, or has no connection left. */
const BUSY = /^(53|57P)/;
const SILENCE = /timeout/i;

/** An attempt on a database that has answered before: whenever it is down, it is down for a while. */
export async function whileDown<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    throw isDatabaseDown(error) ? new NotYetError('the database does not answer yet', { cause: error }) : error;
  }
}

/** First looks at a database; the embedded one has answered before. */
export function databaseLooks(
  config: Pick<Config, 'DATABASE_URL' | 'MAX_WAIT_MS'>,
): (attempt: () => Promise<void>) => Promise<void> {
  const { DATABASE_URL: url, MAX_WAIT_MS } = config;
  if (url === undefined) return whileDown;
  let reached = false;
  return async (attempt) => {
    try {
      await attempt();
    } catch (error) {
      const named = databaseStartError(error, url);
      if (!(error instanceof Error) || !isDatabaseDown(error)) throw named;
      const { code } = error as { code?: unknown };
      reached ||= typeof code === 'string' && BUSY.test(code);
      reached ||= SILENCE.test(error.message) && (await isReachable(databaseAddress(url), MAX_WAIT_MS));
      throw reached ? new NotYetError('the database does not answer yet', { cause: named }) : named;
    }
  };
}

function databaseAddress(url: string): Address {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 5432) };
}

/** Whether a server accepts a TCP connection within `ms`. The operating system of a slow server accepts it, too. */
export function isReachable({ host, port }: Address, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ms });
    const end = (reached: boolean) => (): void => {
      socket.destroy();
      resolve(reached);
    };
    socket.once('connect', end(true));
    socket.once('timeout', end(false));
    socket.once('error', end(false));
  });
}
