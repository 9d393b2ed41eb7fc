import type { ClientBase } from 'pg';
import {
  type Broadcast,
  type BroadcastEvent,
  type BroadcastState,
  evolveBroadcast,
} from '../../domain/broadcast/broadcast.ts';
import { OPEN_STATUSES } from '../../domain/broadcast/broadcast-status.ts';
import { unpackChats } from '../../domain/broadcast/packed-chats.ts';
import type { segmentPartUploaded } from '../../domain/broadcast/segment.ts';
import type { DataOf } from '../../domain/event-type.ts';
import type { LedgerEvent } from '../../domain/ledger-events.ts';
import { keyOf } from '../../log/stream-name.ts';
import { copyInto, copyLine } from '../batch-sql.ts';
import { placed, type ReadModel } from '../read-model.ts';
import { broadcastsManifest } from './manifest.ts';

/** Tables of the read model `broadcasts`. Times are milliseconds since 1970 UTC. Statistics are in `recipients`. */
const BROADCASTS_DDL = `
CREATE TABLE bots (
  public_key text PRIMARY KEY,
  bot_id int NOT NULL,
  owner_id bigint NOT NULL
);
CREATE TABLE broadcasts (
  id bigint PRIMARY KEY,
  bot_id int NOT NULL,
  public_key text NOT NULL,
  owner_id bigint NOT NULL,
  /* the broadcast as JSON text; the columns below are of it, for those who look for broadcasts */
  broadcast text NOT NULL,
  status smallint NOT NULL,
  /* once it has ended: the status before */
  status_before smallint,
  launch int NOT NULL,
  name text COLLATE "C",
  /* in small letters */
  name_folded text COLLATE "C",
  date_send bigint,
  date_create bigint NOT NULL,
  date_finish bigint,
  /* when it is scheduled: not before; null: at once */
  due bigint,
  /* recipients; null until the audience is frozen */
  frozen bigint,
  archived boolean NOT NULL
);
CREATE INDEX broadcasts_bot ON broadcasts (bot_id, id DESC);
/* what the service has to do something about */
CREATE INDEX broadcasts_open ON broadcasts (id) WHERE status IN (${OPEN_STATUSES});
CREATE TABLE segments (
  segment_id bigint PRIMARY KEY,
  broadcast_id bigint NOT NULL,
  bot_id int NOT NULL,
  count int NOT NULL,
  /* of the list, and how many of them are here */
  parts int NOT NULL,
  stored int NOT NULL
);
CREATE INDEX segments_broadcast ON segments (broadcast_id);
CREATE TABLE segment_chats (
  segment_id bigint NOT NULL,
  chat_id bigint NOT NULL,
  bot_id int NOT NULL,
  PRIMARY KEY (segment_id, chat_id, bot_id)
);
`;

const BROADCASTS_PLACEMENT = {
  ...placed('bot_id', ['segment_chats']),
  ...placed('local', ['bots', 'broadcasts', 'segments']),
};

const EVENTS = [
  'broadcast_created',
  'broadcast_saved',
  'broadcast_activated',
  'broadcast_resolution_started',
  'broadcast_audience_frozen',
  'broadcast_sending_started',
  'broadcast_cancel_requested',
  'broadcast_stopped',
  'broadcast_finished',
  'broadcast_failed',
  'broadcast_archived',
  'broadcast_deleted',
] as const satisfies readonly BroadcastEvent['type'][];

/** Broadcasts as they are now, and the lists of chats that were uploaded for them. */
export const broadcastsReadModel: ReadModel = {
  ...broadcastsManifest,
  isolatesBots: true,
  events: ['bot_created', ...EVENTS, 'segment_part_uploaded'],
  ddl: BROADCASTS_DDL,
  placement: BROADCASTS_PLACEMENT,
  async apply(tx, commits) {
    const ids = commits.flatMap(({ events }) => events.flatMap((event) => (isOfBroadcast(event) ? event.data.id : [])));
    const broadcasts = ids.length === 0 ? new Map<number, BroadcastState>() : await loadBroadcasts(tx, ids);
    const bots = new Map<number, string>();
    for (const { stream, events } of commits)
      for (const event of events) {
        if (event.type === 'bot_created') await addBot(tx, event.data);
        else if (event.type === 'segment_part_uploaded') await addPart(tx, keyOf(stream), event.data);
        else if (isOfBroadcast(event)) {
          const { id } = event.data;
          broadcasts.set(id, evolveBroadcast(broadcasts.get(id) ?? null, event));
          bots.set(id, keyOf(stream));
        }
      }
    const changed = [...bots].map(([id, bot]) => ({ id, bot, broadcast: broadcasts.get(id) ?? null }));
    await saveBroadcasts(
      tx,
      changed.flatMap(({ bot, broadcast }) => (broadcast === null ? [] : [{ bot, broadcast }])),
    );
    await deleteBroadcasts(
      tx,
      changed.flatMap(({ id, broadcast }) => (broadcast === null ? [id] : [])),
    );
  },
};

function isOfBroadcast(event: LedgerEvent): event is Extract<LedgerEvent, { type: (typeof EVENTS)[number] }> {
  return (EVENTS as readonly string[]).includes(event.type);
}

async function addBot(
  tx: ClientBase,
  { public_key, bot_id, owner_id }: { readonly public_key: string; readonly bot_id: number; readonly owner_id: number },
): Promise<void> {
  await tx.query('INSERT INTO bots (public_key, bot_id, owner_id) VALUES ($1, $2, $3)', [public_key, bot_id, owner_id]);
}

/** Applies each part once, in order: the parts are commits of one stream. `bot`: the public key of the stream's bot. */
async function addPart(tx: ClientBase, bot: string, data: DataOf<typeof segmentPartUploaded>): Promise<void> {
  const { segment_id, broadcast_id, part, parts, count, chats } = data;
  const { rows } = await tx.query<{ bot_id: number }>(
    `INSERT INTO segments AS s (segment_id, broadcast_id, bot_id, count, parts, stored)
     SELECT $1, $2, bot_id, $3, $4, 1 FROM bots WHERE public_key = $6
     ON CONFLICT (segment_id) DO UPDATE SET stored = s.stored + 1 WHERE s.stored = $5
     RETURNING s.bot_id`,
    [segment_id, broadcast_id, count, parts, part, bot],
  );
  const [segment] = rows;
  if (segment === undefined) throw new Error(`part ${part} of segment ${segment_id} does not follow`);
  const lines = unpackChats(chats).map((chat) => copyLine([segment_id, chat, segment.bot_id]));
  await copyInto(tx, 'segment_chats', 'segment_id, chat_id, bot_id', lines);
}

export async function loadBroadcasts(tx: ClientBase, ids: readonly number[]): Promise<Map<number, BroadcastState>> {
  const { rows } = await tx.query<{ broadcast: string }>({
    name: 'broadcasts.load',
    text: 'SELECT broadcast FROM broadcasts WHERE id = ANY ($1::bigint[])',
    values: [ids],
  });
  const broadcasts = rows.map(({ broadcast }) => JSON.parse(broadcast) as Broadcast);
  return new Map(broadcasts.map((broadcast) => [broadcast.id, broadcast]));
}

/** Writes the current state of broadcasts. `bot`: the public key of the bot of each. */
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
    archived: broadcast.archived ?? false,
  }));
  const { rowCount } = await tx.query({
    name: 'broadcasts.save',
    text: `INSERT INTO broadcasts (id, bot_id, public_key, owner_id, broadcast, status, status_before, launch, name, name_folded,
                                   date_send, date_create, date_finish, due, frozen, archived)
           SELECT r.id, bots.bot_id, public_key, bots.owner_id, r.broadcast, r.status, r.status_before, r.launch, r.name,
                  r.name_folded, r.date_send, r.date_create, r.date_finish, r.due, r.frozen, r.archived
             FROM jsonb_populate_recordset(NULL::broadcasts, $1) AS r JOIN bots USING (public_key)
           ON CONFLICT (id) DO UPDATE SET
             broadcast = EXCLUDED.broadcast, status = EXCLUDED.status, status_before = EXCLUDED.status_before,
             launch = EXCLUDED.launch, name = EXCLUDED.name,
             name_folded = EXCLUDED.name_folded, date_send = EXCLUDED.date_send, date_finish = EXCLUDED.date_finish,
             due = EXCLUDED.due, frozen = EXCLUDED.frozen, archived = EXCLUDED.archived`,
    values: [JSON.stringify(rows)],
  });
  // Fewer rows mean that the log lacks a bot.
  if (rowCount !== rows.length) throw new Error(`${rowCount} rows instead of ${rows.length}: save broadcasts`);
}

/** Deletes drafts. Their uploaded lists stay: a part that was on its way may still follow. */
async function deleteBroadcasts(tx: ClientBase, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.query('DELETE FROM broadcasts WHERE id = ANY ($1::bigint[])', [ids]);
}
