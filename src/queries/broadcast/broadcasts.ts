import type pg from 'pg';
import type { Broadcast } from '../../domain/broadcast/broadcast.ts';

/** Where broadcasts are: a pool, and the schemas of their read models. */
export interface BroadcastsSource {
  readonly pool: pg.Pool;
  readonly broadcasts: string;
  /** Of the read model `recipients`, which has the statistics. */
  readonly recipients: string;
}

/** What has become of the recipients so far, and what sending waits for. */
export interface BroadcastStatistics {
  readonly count_recipients: number;
  readonly count_delivered: number;
  readonly count_not_delivered: number;
  readonly count_unknown: number;
  /** Milliseconds since 1970 UTC. */
  readonly paused_until: number | null;
  readonly error: string | null;
}

export const NO_STATISTICS: BroadcastStatistics = {
  count_recipients: 0,
  count_delivered: 0,
  count_not_delivered: 0,
  count_unknown: 0,
  paused_until: null,
  error: null,
};

export interface BroadcastRow {
  readonly broadcast: Broadcast;
  readonly statistics: BroadcastStatistics;
}

/** A broadcast of a bot, by the bot's integer id; null where the bot has none of that id. */
export async function findBroadcast(source: BroadcastsSource, botId: number, id: number): Promise<BroadcastRow | null> {
  const { rows } = await source.pool.query<Selected>(
    `SELECT ${COLUMNS} FROM ${tablesOf(source)} WHERE b.bot_id = $1 AND b.id = $2`,
    [botId, id],
  );
  return rows[0] === undefined ? null : rowOf(rows[0]);
}

export const BROADCAST_ORDERS = ['id', 'name', 'status', 'date_create', 'date_send', 'date_finish'] as const;

export interface BroadcastList {
  readonly status?: number | undefined;
  /** Part of the name, capital or small letters. */
  readonly name?: string | undefined;
  /** Created from the one until before the other, milliseconds since 1970 UTC. */
  readonly created?: { readonly from: number; readonly until: number } | undefined;
  /** Ties, and what is in no other order: the latest id first. */
  readonly orders: readonly { readonly field: (typeof BROADCAST_ORDERS)[number]; readonly descending: boolean }[];
  readonly limit: number;
  readonly offset: number;
}

/** One page of a bot's broadcasts, and how many there are on all pages. */
export async function listBroadcasts(
  source: BroadcastsSource,
  botId: number,
  { status, name, created, orders, limit, offset }: BroadcastList,
): Promise<{ readonly items: readonly BroadcastRow[]; readonly total: number }> {
  const where = `b.bot_id = $1
    AND ($2::int IS NULL OR ${STATUS} = $2) AND ($3::text IS NULL OR strpos(b.name_folded, $3) > 0)
    AND ($4::bigint IS NULL OR b.date_create >= $4) AND ($5::bigint IS NULL OR b.date_create < $5)`;
  const values = [botId, status ?? null, name?.toLowerCase() ?? null, created?.from ?? null, created?.until ?? null];
  const sorted = [...orders, { field: 'id', descending: true } as const].map(
    ({ field, descending }) => `${SORTED[field]} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
  );
  const { rows } = await source.pool.query<Selected>(
    `SELECT ${COLUMNS} FROM ${tablesOf(source)} WHERE ${where} ORDER BY ${sorted.join()} LIMIT $6 OFFSET $7`,
    [...values, limit, offset],
  );
  const counted = await source.pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM ${tablesOf(source)} WHERE ${where}`,
    values,
  );
  return { items: rows.map(rowOf), total: counted.rows[0]!.total };
}

const tablesOf = ({ broadcasts, recipients }: BroadcastsSource): string =>
  `${broadcasts}.broadcasts AS b LEFT JOIN ${recipients}.sendings AS s ON s.broadcast_id = b.id`;

/**
 * The two read models follow the log each for itself. A broadcast is not over before its counts say so: otherwise, for a
 * moment, they would not add up.
 */
const LAGS = 'b.status IN (3, 4, 5) AND s.status NOT IN (3, 4, 5)';
const STATUS = `CASE WHEN ${LAGS} THEN s.status ELSE b.status END`;

const COLUMNS = `
  b.broadcast, ${STATUS} AS status, coalesce(${LAGS}, false) AS lags,
  json_build_object(
    'count_recipients', s.count_recipients,
    'count_delivered', s.count_delivered,
    'count_not_delivered', s.count_not_delivered,
    'count_unknown', s.count_unknown,
    'paused_until', s.paused_until,
    'error', s.error
  ) AS statistics`;

const SORTED: Readonly<Record<(typeof BROADCAST_ORDERS)[number], string>> = {
  id: 'b.id',
  name: 'b.name',
  status: STATUS,
  date_create: 'b.date_create',
  date_send: 'b.date_send',
  date_finish: 'b.date_finish',
};

interface Selected {
  readonly broadcast: string;
  readonly status: Broadcast['status'] | null;
  readonly lags: boolean;
  readonly statistics: { readonly [K in keyof BroadcastStatistics]: BroadcastStatistics[K] | null };
}

function rowOf({ broadcast, status, lags, statistics }: Selected): BroadcastRow {
  const stored = JSON.parse(broadcast) as Broadcast;
  const shown = lags && status !== null ? { ...stored, status, date_finish: null, error: null } : stored;
  const isCounted = statistics.count_recipients !== null;
  return { broadcast: shown, statistics: isCounted ? (statistics as BroadcastStatistics) : NO_STATISTICS };
}
