import type pg from 'pg';
import { oldestWriter } from '../database/oldest-writer.ts';

/** How long a wait of a command is silent. */
const ANNOUNCE_MS = 1000;

export interface AnnounceOptions {
  readonly pool: pg.Pool;
  /** Whether the log is in the database of `pool`, where an open write transaction holds its readers back. */
  readonly logInDatabase: boolean;
  /** Writes a line for a person. */
  readonly notice: (line: string) => void;
}

/**
 * Resolves as `wait` does. After 1 s it writes a line that names what the command waits for, and the open transaction
 * that holds the readers of the log back, if there is one (decisions.md#command-wait).
 * @param what such as `the read model catalog to catch up with the log`
 */
export async function announcedWait<T>(
  wait: Promise<T>,
  what: string,
  { pool, logInDatabase, notice }: AnnounceOptions,
): Promise<T> {
  const announce = async (): Promise<void> => {
    const cause = logInDatabase ? await causeIn(pool) : null;
    notice(`waiting for ${what}${cause === null ? '' : `: ${cause}`}`);
  };
  const timer = setTimeout(() => {
    announce().catch((error: unknown) => notice(`waiting for ${what}; failed to find out why: ${String(error)}`));
  }, ANNOUNCE_MS);
  try {
    return await wait;
  } finally {
    clearTimeout(timer);
  }
}

/** Names the oldest open write transaction, and how to end it; null if there is none. */
async function causeIn(pool: pg.Pool): Promise<string | null> {
  const oldest = await oldestWriter(pool);
  if (oldest === null) return null;
  const { pid, seconds, program } = oldest;
  const of = program === null ? `pid ${pid}` : `pid ${pid} (${program})`;
  const end = program?.startsWith('botledger ') ? '' : `; end it there, or by SELECT pg_terminate_backend(${pid})`;
  return `the readers of the log wait for the transaction of ${of}, open for ${Math.round(seconds)} s${end}`;
}
