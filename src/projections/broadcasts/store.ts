import type { ClientBase } from 'pg';
import type { Broadcast } from '../../domain/broadcast/broadcast.ts';

export async function loadBroadcasts(tx: ClientBase, ids: readonly number[]): Promise<Map<number, Broadcast>> {
  const { rows } = await tx.query<{ broadcast: string }>({
    name: 'broadcasts.load',
    text: 'SELECT broadcast FROM broadcasts WHERE id = ANY ($1::bigint[])',
    values: [ids],
  });
  const broadcasts = rows.map(({ broadcast }) => JSON.parse(broadcast) as Broadcast);
  return new Map(broadcasts.map((broadcast) => [broadcast.id, broadcast]));
}

/** Writes broadcasts as they now are. `bot`: the public key of each one's bot. */
export async function saveBroadcasts(
  tx: ClientBase,
  changed: readonly { readonly bot: string; readonly broadcast: Broadcast }[],
): Promise<void> {
  if (changed.length === 0) return;
  const rows = changed.map(({ bot, broadcast }) => ({
    ...broadcast,
    public_key: bot,
    name_folded: broadcast.name?.toLowerCase() ?? null,
    broadcast: JSON.stringify(broadcast),
  }));
  const { rowCount } = await tx.query({
    name: 'broadcasts.save',
    text: `INSERT INTO broadcasts (id, bot_id, public_key, owner_id, broadcast, status, status_before, launch, name, name_folded,
                                   date_send, date_create, date_finish, due, frozen)
           SELECT r.id, bots.bot_id, public_key, bots.owner_id, r.broadcast, r.status, r.status_before, r.launch, r.name,
                  r.name_folded, r.date_send, r.date_create, r.date_finish, r.due, r.frozen
             FROM jsonb_populate_recordset(NULL::broadcasts, $1) AS r JOIN bots USING (public_key)
           ON CONFLICT (id) DO UPDATE SET
             broadcast = EXCLUDED.broadcast, status = EXCLUDED.status, status_before = EXCLUDED.status_before,
             launch = EXCLUDED.launch, name = EXCLUDED.name,
             name_folded = EXCLUDED.name_folded, date_send = EXCLUDED.date_send, date_finish = EXCLUDED.date_finish,
             due = EXCLUDED.due, frozen = EXCLUDED.frozen`,
    values: [JSON.stringify(rows)],
  });
  // Fewer means that the log lacks a bot.
  if (rowCount !== rows.length) throw new Error(`${rowCount} rows instead of ${rows.length}: save broadcasts`);
}
