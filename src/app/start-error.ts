import { isDatabaseDown } from '../database/errors.ts';

/** The service cannot start, for a reason that its operator can mend. The message is one line and names the variable. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * SQLSTATE classes of PostgreSQL's manual, appendix A: wrong user or password, no such database, not allowed to; and
 * Node's codes for a certificate that is not trusted.
 */
const REFUSED = /^(28|3D|42501)|CERT/;
/** What `pg` says without a code: TLS that the server does not speak, a password that it wants and did not get. */
const REFUSED_MESSAGES = /^(SASL|The server does not support SSL)/;

/** What a first look at the database of DATABASE_URL failed with, for who started the service; other errors as they are. */
export function databaseStartError(error: unknown, url: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = codeOf(error);
  if (!isDatabaseDown(error) && !REFUSED.test(code) && !REFUSED_MESSAGES.test(error.message)) return error;
  const { host, pathname } = new URL(url);
  // Where a name has several addresses, none of which answers, Node's error has no message.
  const reason = error.message || code;
  return new StartError(`DATABASE_URL: ${host}${pathname} cannot be used: ${reason}`, { cause: error });
}

/** What listening failed with, likewise. */
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
