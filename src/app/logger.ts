import { isatty } from 'node:tty';
import { type DestinationStream, type LogFn, type Logger, type LoggerOptions, pino } from 'pino';
import { isDatabaseDown } from '../database/database-errors.ts';
import { LogUnavailableError } from '../log/port.ts';

/** While the log or the database is down, each loop of a thread retries about once a second and logs each failure. */
const SAME_LINE_MS = 30_000;

export interface LoggerTarget {
  /** File descriptor; default 1, standard output. */
  readonly fd?: number;
  /** For tests: gets JSON lines instead of the file descriptor. */
  readonly stream?: DestinationStream;
}

/** Creates the logger of a thread. It writes readable lines to a terminal, JSON lines elsewhere. */
export async function createLogger(level: string, { fd = 1, stream }: LoggerTarget = {}): Promise<Logger> {
  const options: LoggerOptions = { level, hooks: { logMethod: collapseOutages() } };
  if (stream !== undefined) return pino(options, stream);
  if (!isatty(fd)) return pino(options, pino.destination(fd));
  // Loaded only for a terminal, since loading takes 30 ms.
  const { default: pretty } = await import('pino-pretty');
  const readable = pretty({
    destination: fd,
    sync: true,
    colorize: process.env['NO_COLOR'] === undefined,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
  });
  return pino(options, readable);
}

/** Fields that name the parts affected by an outage. */
const AFFECTED_FIELDS = ['projection', 'process', 'bot', 'lease'];

/**
 * Writes a line about an outage of the log or the database once in 30 s for each message and each projection, process,
 * bot or lease. The next line has `leftOut`, the number of lines left out. An outage of 90 s wrote 4,180 lines before.
 */
export function collapseOutages(
  now: () => number = performance.now.bind(performance),
): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  const lastWritten = new Map<string, { at: number; leftOut: number }>();
  return function logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
    const [fields, message] = args as [unknown, unknown];
    if (!isOutage(fields) || typeof message !== 'string') return void method.apply(this, args);
    const key = `${message} ${AFFECTED_FIELDS.map((name) => this.bindings()[name] ?? (fields as Record<string, unknown>)[name] ?? '')}`;
    const last = lastWritten.get(key);
    if (last !== undefined && now() - last.at < SAME_LINE_MS) {
      last.leftOut += 1;
      return;
    }
    lastWritten.set(key, { at: now(), leftOut: 0 });
    const { leftOut = 0 } = last ?? {};
    method.apply(this, leftOut === 0 ? args : [{ ...fields, leftOut }, message]);
  };
}

function isOutage(fields: unknown): fields is { readonly err: unknown } {
  if (typeof fields !== 'object' || fields === null || !('err' in fields)) return false;
  return isDatabaseDown(fields.err) || fields.err instanceof LogUnavailableError;
}
