import type { Tables } from '../../database/tables.ts';
import type { Broadcast } from '../../domain/broadcast/broadcast.ts';
import { Status } from '../../domain/broadcast/broadcast-status.ts';

/** The drafts and scheduled broadcasts of a bot whose audience a change of a saved segment may concern, by id. */
export async function openAudiences(
  { pool, broadcasts }: Tables<'broadcasts'>,
  botId: number,
): Promise<Pick<Broadcast, 'id' | 'status' | 'segmentations'>[]> {
  const { rows } = await pool.query<{ broadcast: string }>(
    `SELECT broadcast FROM ${broadcasts}.broadcasts
      WHERE bot_id = $1 AND status IN (${Status.draft}, ${Status.scheduled}) AND frozen IS NULL AND strpos(broadcast, 'saved_segment_id') > 0 ORDER BY id`,
    [botId],
  );
  const open = rows.map(({ broadcast }) => JSON.parse(broadcast) as Broadcast);
  return open.filter(({ saved_segments }) => saved_segments === undefined);
}
