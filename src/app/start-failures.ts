import { connect } from 'node:net';
import type { Config } from '../config.ts';
import { isDatabaseDown } from '../database/database-errors.ts';
import type { Address } from '../log/engine.ts';
import { engineOf } from '../log/engines.ts';
import { type EventLog, LogSilentError, LogUnavailableError, LogUnfitError } from '../log/port.ts';
import { NotYetError } from './start-wait.ts';

/**
 * Distinguishes two kinds of failures at a start: faults that the operator must correct end the start, and for slow
 * dependencies the start waits (README.md in this folder, "A start").
 */

/** The service cannot start until the operator corrects something. The message is one line and names the variable. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * SQLSTATE classes of PostgreSQL's manual, appendix A: wrong user or password, no such database, not allowed to; and
 * Node's codes for a certificate that is not trusted.
 */
const REFUSED = /^(28|3D|42501)|CERT|SIGNATURE/;
/** Errors of `pg` without a code: the server does not support TLS, or it wants a password and did not get one. */
const REFUSED_MESSAGES = /^(SASL|The server does not support SSL)/;
/** SQLSTATE classes of a PostgreSQL that is reachable and not ready: it starts or stops, or has no connection left. */
const NOT_READY = /^(53|57P)/;
const SILENT_MESSAGES = /timeout/i;

/** Runs an attempt on a database that answered before in this start. If it is down now, throws NotYetError. */
export async function notYetIfDatabaseDown<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    throw isDatabaseDown(error) ? new NotYetError('the database does not answer yet', { cause: error }) : error;
  }
}

/**
 * Returns a function that runs the first attempts on the database. They throw NotYetError while the database is slow,
 * and StartError if the operator must correct something. An embedded database counts as one that has answered before.
 */
export function firstDatabaseAttempts(
  config: Pick<Config, 'DATABASE_URL' | 'MAX_WAIT_MS'>,
): (attempt: () => Promise<void>) => Promise<void> {
  const { DATABASE_URL: url, MAX_WAIT_MS } = config;
  if (url === undefined) return notYetIfDatabaseDown;
  let reached = false;
  return async (attempt) => {
    try {
      await attempt();
    } catch (error) {
      const startError = databaseStartError(error, url);
      if (!(error instanceof Error) || !isDatabaseDown(error)) throw startError;
      reached ||= NOT_READY.test(codeOf(error));
      reached ||= SILENT_MESSAGES.test(error.message) && (await isReachable(databaseAddress(url), MAX_WAIT_MS));
      throw reached ? new NotYetError('the database does not answer yet', { cause: startError }) : startError;
    }
  };
}

/**
 * Returns a function that opens the log. It throws NotYetError while the log is slow, and StartError if the operator
 * must correct something. A log that answered once in this start counts as slow.
 */
export function firstLogAttempts(config: Config): (open: () => Promise<EventLog>) => Promise<EventLog> {
  let reached = false;
  return async (open) => {
    try {
      return await notYetIfDatabaseDown(open);
    } catch (error) {
      const startError = logStartError(error, config);
      if (!(error instanceof LogUnavailableError)) throw startError;
      if (error instanceof LogSilentError && !reached) {
        const servers = engineOf(config.EVENT_LOG).config.servers(config);
        const reachable = await Promise.all(servers.map((server) => isReachable(server, config.MAX_WAIT_MS)));
        reached = reachable.includes(true);
      }
      throw reached ? new NotYetError('the log does not answer yet', { cause: startError }) : startError;
    }
  };
}

/**
 * Makes a StartError that names DATABASE_URL if the error says that the database cannot be used; else returns the
 * error.
 */
function databaseStartError(error: unknown, url: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = codeOf(error);
  if (!isDatabaseDown(error) && !REFUSED.test(code) && !REFUSED_MESSAGES.test(error.message)) return error;
  const { host, pathname } = new URL(url);
  // Node's error has no message if a name has several addresses and none of them answers.
  const reason = error.message || code;
  const remedy = databaseRemedy(code, reason);
  const message = `DATABASE_URL: ${host}${pathname} cannot be used: ${reason}${remedy === null ? '' : `: ${remedy}`}`;
  return new StartError(message, { cause: error });
}

/** Finds the remedy that the operator writes or grants, by the codes and messages of PostgreSQL 15 to 18, `pg` and Node. Null: the reason says it. */
export function databaseRemedy(code: string, reason: string): string | null {
  if (/no encryption/.test(reason)) return 'add ?sslmode=verify-full, or let pg_hba.conf accept this host without TLS';
  if (/pg_hba\.conf/.test(reason)) return "add a line for this host, user and database to the server's pg_hba.conf";
  if (code === '28P01' || /^SASL/.test(reason)) return 'write postgres://user:password@host/database';
  if (/does not support SSL/.test(reason)) return 'write sslmode=disable, or turn TLS on in the server';
  if (/CERT|SIGNATURE|ALTNAME/.test(code)) return 'add sslrootcert=<file with the certificate of its authority>';
  if (code === '3D000') return 'create it with CREATE DATABASE';
  if (code === '42501') return 'GRANT CREATE ON DATABASE to the user';
  return null;
}

/**
 * Makes a StartError that names the variable to correct if the log cannot be opened or used; else returns the error.
 */
export function logStartError(error: unknown, { EVENT_LOG }: Config): unknown {
  const { address, log } = engineOf(EVENT_LOG).config;
  if (error instanceof LogUnavailableError) return new StartError(`${address}: ${error.message}`, { cause: error });
  if (error instanceof LogUnfitError) return new StartError(`${log}: ${error.message}`, { cause: error });
  return error;
}

/** Makes a StartError that names HOST or PORT if the error comes from listening; else returns the error. */
export function listenStartError(error: unknown, { HOST, PORT }: { HOST: string; PORT: number }): unknown {
  if (!(error instanceof Error)) return error;
  const { syscall, hostname } = error as { syscall?: string; hostname?: string };
  if (syscall === 'getaddrinfo' && hostname === HOST)
    return new StartError(`HOST: ${HOST} is not known (${codeOf(error)})`, { cause: error });
  if (syscall !== 'listen') return error;
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new StartError(`PORT: ${PORT} is in use on ${HOST}`, { cause: error });
    case 'EACCES':
      return new StartError(`PORT: this account may not listen on ${PORT}`, { cause: error });
    default:
      return new StartError(`HOST: cannot listen on ${HOST} (${codeOf(error)})`, { cause: error });
  }
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function databaseAddress(url: string): Address {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 5432) };
}

/** Whether a server accepts a TCP connection within `ms`. The operating system of a slow server also accepts it. */
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
