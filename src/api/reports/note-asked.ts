import { LosslessNumber, stringify } from 'lossless-json';
import type pg from 'pg';
import type { Logger } from 'pino';
import { type AskedReport, addAskedReports, MOST_ASKED_REPORTS } from '../../queries/reports/asked-reports.ts';

/** Notes a report that a client asked for. `config` was accepted. The request does not wait. */
export type NoteAsked = (bot: string, kind: string, config: unknown) => void;

export interface AskedNotes {
  readonly note: NoteAsked;
  /** Writes what was noted. Resolves when it has been written, or could not be. */
  written(): Promise<void>;
}

/** The longest configuration that is noted, in characters. */
const MAX_CONFIG = 10_000;

/**
 * Counts in memory and writes all counts together, `everyMs` after the first. At most {@link MOST_ASKED_REPORTS} configurations
 * wait. While the database is down, counts are lost, and the log of the service says so.
 */
export function askedNotes(
  pool: pg.Pool,
  logger: Pick<Logger, 'warn'>,
  now: () => number,
  everyMs = 10_000,
): AskedNotes {
  let waiting = new Map<string, AskedReport>();
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();

  async function write(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const reports = [...waiting.values()];
    waiting = new Map();
    if (reports.length === 0) return;
    try {
      await addAskedReports(pool, reports, now());
    } catch (error) {
      logger.warn({ err: error }, `failed to note ${reports.length} asked reports; they are not compared`);
    }
  }

  const written = (): Promise<void> => {
    writing = writing.then(write);
    return writing;
  };
  return {
    written,
    note(bot, kind, config) {
      const text = stringify(sorted(config))!;
      if (text.length > MAX_CONFIG) return;
      const key = `${bot} ${text}`;
      const known = waiting.get(key);
      if (known === undefined && waiting.size >= MOST_ASKED_REPORTS) return;
      waiting.set(key, { bot, kind, config: text, asked: (known?.asked ?? 0) + 1 });
      timer ??= setTimeout(() => void written(), everyMs).unref();
    },
  };
}

/** The same JSON value with the keys of each object sorted. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof LosslessNumber) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, sorted(child)]));
}
