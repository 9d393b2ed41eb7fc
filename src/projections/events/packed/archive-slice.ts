import type { ClientBase } from 'pg';
import { copyToArchive, deleteArchived } from './archive-chunk.ts';
import type { PackLimits } from './due.ts';
import { findChunk, repack } from './pack.ts';

/** A chunk is archived when none of its events was received this recently: late events often come together, as imports. */
const SETTLED_MS = 24 * 60 * 60 * 1000;

/**
 * Counts a row if `idle` has work: that of `put_off`, or chunks to archive. These are looked for after each packing, and once
 * after the number of months has changed. A bot's clock moves by events, and events are packed.
 */
export const ARCHIVING_DDL = `
CREATE FUNCTION put_off_or_old(months int) RETURNS SETOF int LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  /* one question in each statement, and a row as its answer, as a cluster wants it */
  IF EXISTS (SELECT bot_id FROM put_off LIMIT 1) THEN RETURN NEXT 1;
  ELSIF EXISTS (SELECT bot_id FROM timelines WHERE archived_months < months LIMIT 1) THEN RETURN NEXT 1;
  ELSIF EXISTS (SELECT bot_id FROM timelines WHERE archived_months > months LIMIT 1) THEN RETURN NEXT 1;
  END IF;
END
$$;
`;

/**
 * Archives a chunk whose events are older than so many months by the bot's clock, or packs it again first if it has changed.
 * @returns whether there is more to do
 */
export async function archiveSlice(tx: ClientBase, months: number, limits?: PackLimits): Promise<boolean> {
  const bot = await nextBot(tx, months);
  if (bot === undefined) return false;
  const chunk = await findChunk(
    tx,
    bot.bot_id,
    `AND NOT archived AND last_date < ${bot.before} AND received < ${bot.clock - SETTLED_MS} ORDER BY last_date, last_ord`,
  );
  if (chunk === undefined)
    await tx.query('UPDATE timelines SET archived_months = $2 WHERE bot_id = $1', [bot.bot_id, months]);
  else if (chunk.changed > 0) await repack(tx, chunk, limits);
  else {
    await copyToArchive(tx, chunk);
    await deleteArchived(tx, chunk);
  }
  return (await nextBot(tx, months)) !== undefined;
}

interface DueBot {
  readonly bot_id: number;
  readonly clock: number;
  /** Older events are to be archived. */
  readonly before: number;
}

async function nextBot(tx: ClientBase, months: number): Promise<DueBot | undefined> {
  const { rows: found } = await tx.query<{ bot_id: number }>({
    name: 'events.bot_to_archive',
    text: `(SELECT bot_id FROM timelines WHERE archived_months < $1 LIMIT 1)
           UNION ALL (SELECT bot_id FROM timelines WHERE archived_months > $1 LIMIT 1) LIMIT 1`,
    values: [months],
  });
  if (found[0] === undefined) return undefined;
  const { rows } = await tx.query<DueBot>({
    name: 'events.archive_before',
    text: `SELECT bot_id, clock::float8,
                  floor(extract(epoch FROM to_timestamp(clock / 1000.0) AT TIME ZONE 'UTC' - make_interval(months => $1)) * 1000)::float8 AS before
             FROM bots WHERE bot_id = $2`,
    values: [months, found[0].bot_id],
  });
  return rows[0];
}
