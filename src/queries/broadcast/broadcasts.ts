import type pg from 'pg';
import type { ReadTables, Tables } from '../../database/tables.ts';
import type { Broadcast } from '../../domain/broadcast/broadcast.ts';
import { ENDED_STATUSES, OPEN_STATUSES, Status } from '../../domain/broadcast/broadcast-status.ts';

/** Counts of the recipients so far, and what sending waits for. */
export interface BroadcastStatistics {
  readonly count_recipients: number;
  readonly count_delivered: number;
  readonly count_not_delivered: number;
  readonly count_unknown: number;
  /** Milliseconds since 1970 UTC. */
  readonly paused_until: number | null;
  readonly error: string | null;
  /**
   * The launch whose final counts these are; null: they are not final. Answers that were stored for repeats before 0.2 lack
   * it.
   */
  readonly ended_launch?: number | null;
}

export const NO_STATISTICS: BroadcastStatistics = {
  count_recipients: 0,
  count_delivered: 0,
  count_not_delivered: 0,
  count_unknown: 0,
  paused_until: null,
  error: null,
  ended_launch: null,
};

export interface BroadcastRow {
  readonly broadcast: Broadcast;
  readonly statistics: BroadcastStatistics;
}

/** Finds the statistics of a broadcast, up to the read model's checkpoint. */
export async function findStatistics(
  { pool, recipients }: Tables<'recipients'>,
  id: number,
): Promise<BroadcastStatistics> {
  const { rows } = await pool.query<{ readonly statistics: BroadcastStatistics }>(
    `SELECT ${STATISTICS} AS statistics FROM ${recipients}.sendings AS s WHERE s.broadcast_id = $1`,
    [id],
  );
  return rows[0]?.statistics ?? NO_STATISTICS;
}

export const BROADCAST_ORDERS = [
  'id',
  'name',
  'status',
  'date_create',
  'date_send',
  'date_finish',
  'running',
  'count_recipients',
  'count_delivered',
] as const;

export interface BroadcastList {
  readonly status?: number | undefined;
  /** Whether it is in the archive. */
  readonly archived?: boolean | undefined;
  /** A part of the name; the case is ignored. */
  readonly name?: string | undefined;
  /** Created from the first until before the second, milliseconds since 1970 UTC. */
  readonly created?: { readonly from: number; readonly until: number } | undefined;
  /** The order among equals, and the default: the latest id first. */
  readonly orders: readonly { readonly field: (typeof BROADCAST_ORDERS)[number]; readonly descending: boolean }[];
  readonly limit: number;
  readonly offset: number;
}

/** Loads one page of a bot's broadcasts, and how many there are on all pages. */
export async function listBroadcasts(
  source: Tables<'broadcasts' | 'recipients'>,
  botId: number,
  { status, archived, name, created, orders, limit, offset }: BroadcastList,
): Promise<{ readonly items: readonly BroadcastRow[]; readonly total: number }> {
  const where = `b.bot_id = $1
    AND ($2::int IS NULL OR ${STATUS} = $2) AND ($3::text IS NULL OR strpos(b.name_folded, $3) > 0)
    AND ($4::bigint IS NULL OR b.date_create >= $4) AND ($5::bigint IS NULL OR b.date_create < $5)
    AND ($6::boolean IS NULL OR b.archived = $6)`;
  const values = [
    botId,
    status ?? null,
    name?.toLowerCase() ?? null,
    created?.from ?? null,
    created?.until ?? null,
    archived ?? null,
  ];
  const sorted = [...orders, { field: 'id', descending: true } as const].map(
    ({ field, descending }) => `${SORTED[field]} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
  );
  const { rows } = await source.pool.query<Selected>(
    `SELECT ${COLUMNS} FROM ${tablesOf(source)} WHERE ${where} ORDER BY ${sorted.join()} LIMIT $7 OFFSET $8`,
    [...values, limit, offset],
  );
  const counted = await source.pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM ${tablesOf(source)} WHERE ${where}`,
    values,
  );
  return { items: rows.map(rowOf), total: counted.rows[0]!.total };
}

const tablesOf = ({ broadcasts, recipients }: ReadTables<'broadcasts' | 'recipients'>): string =>
  `${broadcasts}.broadcasts AS b LEFT JOIN ${recipients}.sendings AS s ON s.broadcast_id = b.id`;

/** The launch whose final counts these are. While the next launch waits for a sender, the previous launch. */
const ENDED_LAUNCH = `CASE WHEN s.status IN (${ENDED_STATUSES}) THEN s.launch WHEN s.status = ${Status.scheduled} THEN s.launch - 1 END`;

/**
 * The two read models apply the log independently. A broadcast is not shown as ended before its counts are final
 * (decisions.md#broadcast-counts), since for a moment they would not add up.
 */
const STATUS = `CASE WHEN b.status IN (${ENDED_STATUSES}) AND b.launch IS DISTINCT FROM ${ENDED_LAUNCH}
  THEN b.status_before ELSE b.status END`;

const STATISTICS = `json_build_object(
    'count_recipients', s.count_recipients,
    'count_delivered', s.count_delivered,
    'count_not_delivered', s.count_not_delivered,
    'count_unknown', s.count_unknown,
    'paused_until', s.paused_until,
    'error', s.error,
    'ended_launch', ${ENDED_LAUNCH}
  )`;
const COLUMNS = `b.broadcast, CASE WHEN s.broadcast_id IS NOT NULL THEN ${STATISTICS} END AS statistics`;

const SORTED: Readonly<Record<(typeof BROADCAST_ORDERS)[number], string>> = {
  id: 'b.id',
  name: 'b.name',
  status: STATUS,
  date_create: 'b.date_create',
  date_send: 'b.date_send',
  date_finish: 'b.date_finish',
  running: `(${STATUS} IN (2, 6, 7, 8))::int * 2 + (${STATUS} = 1)::int`,
  count_recipients: 'coalesce(b.frozen, s.count_recipients)',
  count_delivered: 's.count_delivered',
};

interface Selected {
  readonly broadcast: string;
  /** Null: the read model does not have the broadcast yet. */
  readonly statistics: BroadcastStatistics | null;
}

function rowOf({ broadcast, statistics }: Selected): BroadcastRow {
  return { broadcast: JSON.parse(broadcast) as Broadcast, statistics: statistics ?? NO_STATISTICS };
}

/** A broadcast with its shown status and its counts. */
export interface BroadcastCounts {
  readonly id: number;
  readonly bot_id: number;
  /** Public key of the bot. */
  readonly bot: string;
  readonly status: number;
  readonly statistics: BroadcastStatistics;
  /** Of its variants. */
  readonly shares: readonly number[];
}

/** The status and counts of broadcasts, as {@link listBroadcasts} has them, by id. */
export async function broadcastCounts(
  source: ReadTables<'broadcasts' | 'recipients'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, BroadcastCounts>> {
  const { rows } = await source.pool.query<Selected & Pick<BroadcastCounts, 'id' | 'bot_id' | 'bot' | 'status'>>(
    `SELECT b.id::float8, b.bot_id, b.public_key AS bot, ${STATUS} AS status, ${COLUMNS} FROM ${tablesOf(source)}
      WHERE b.id = ANY ($1::bigint[])`,
    [[...ids]],
  );
  const counts = rows.map((row): BroadcastCounts => {
    const { id, bot_id, bot, status } = row;
    const { broadcast, statistics } = rowOf(row);
    return { id, bot_id, bot, status, statistics, shares: (broadcast.variants ?? []).map(({ share }) => share) };
  });
  return new Map(counts.map((each) => [each.id, each]));
}

/** A broadcast that is due or being sent. */
export interface BroadcastWork {
  /** Public key. */
  readonly bot: string;
  readonly id: number;
}

/**
 * Finds broadcasts that are due or being sent, the oldest first.
 * @param schema the schema of the read model `broadcasts`
 * @returns also when the next scheduled broadcast is due; null: there is none
 */
export async function broadcastWork(
  pool: pg.Pool,
  schema: string,
  now: number,
): Promise<{ readonly work: BroadcastWork[]; readonly nextDue: number | null }> {
  const { rows } = await pool.query<{ bot: string | null; id: number | null; next_due: number | null }>({
    name: `${schema}.broadcast_work`,
    text: `SELECT public_key AS bot, id::float8, NULL::float8 AS next_due FROM ${schema}.broadcasts
            WHERE status IN (${OPEN_STATUSES}) AND (status <> ${Status.scheduled} OR due IS NULL OR due <= $1)
            UNION ALL SELECT NULL, NULL, min(due)::float8 FROM ${schema}.broadcasts WHERE status = ${Status.scheduled} AND due > $1
            ORDER BY id`,
    values: [now],
  });
  const work = rows.flatMap(({ bot, id }) => (bot === null || id === null ? [] : [{ bot, id }]));
  return { work, nextDue: rows.find(({ bot }) => bot === null)!.next_due };
}

/** The public keys of the bots of broadcasts, by the broadcasts' ids. An unknown id is absent. */
export async function botsOfBroadcasts(
  { pool, broadcasts }: Tables<'broadcasts'>,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await pool.query<{ id: number; public_key: string }>({
    name: `${broadcasts}.bots_of_broadcasts`,
    text: `SELECT id::float8, public_key FROM ${broadcasts}.broadcasts WHERE id = ANY ($1)`,
    values: [ids],
  });
  return new Map(rows.map(({ id, public_key }) => [id, public_key]));
}

/** The broadcasts that are being sent now. */
export interface BroadcastsNow {
  readonly sending: number;
  /** The messages a second that they may send together, by their settings. */
  readonly cap: number;
}

/** @param schema the schema of the read model `broadcasts` */
export async function broadcastsNow(pool: pg.Pool, schema: string): Promise<BroadcastsNow> {
  const { rows } = await pool.query<BroadcastsNow>({
    name: `${schema}.broadcasts_now`,
    text: `SELECT count(*)::int AS sending, coalesce(sum((broadcast::json->'settings'->>'intervalCap')::int), 0)::int AS cap
             FROM ${schema}.broadcasts WHERE status = ${Status.sending}`,
  });
  return rows[0]!;
}

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
