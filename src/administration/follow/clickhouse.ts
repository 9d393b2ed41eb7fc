import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { Position } from '../../log/port.ts';
import type { TextRow } from '../../queries/export/columns.ts';
import { type Destination, UnfitDestinationError } from './destination.ts';
import { FOLLOW_COLUMNS } from './follow-rows.ts';

export interface ClickHouseOptions {
  /** `http(s)://user:password@host:port/database`. */
  readonly url: string;
  /** Letters, digits and `_`. */
  readonly table: string;
  /** Names the log and the bots that the table is for. */
  readonly scope: string;
}

/** The column's types. A value has at most 16 digits before and 30 after the point, so it stays exact. */
const TYPES: Readonly<Record<string, string>> = {
  partition: 'UInt32',
  position: 'String',
  index: 'UInt32',
  id: 'String',
  bot: 'LowCardinality(String)',
  source: 'LowCardinality(String)',
  user_id: 'UInt64',
  date: "DateTime64(3, 'UTC')",
  date_received: "DateTime64(3, 'UTC')",
  event_type_id: 'Nullable(UInt32)',
  event_name: 'LowCardinality(Nullable(String))',
  value: 'Nullable(Decimal(60, 30))',
  unit: 'LowCardinality(Nullable(String))',
  update_id: 'Nullable(Int64)',
};

/**
 * The number of latest inserts that the table remembers by their tokens: hours of a follower with one insert at a time.
 */
const REMEMBERED_INSERTS = 10_000;

/** The statement that creates the table. Its key begins with the position, so the last one is found without a scan. */
export function createTable({ table, scope }: Pick<ClickHouseOptions, 'table' | 'scope'>): string {
  const columns = FOLLOW_COLUMNS.map(({ name }) => `  \`${name}\` ${TYPES[name] ?? 'Nullable(String)'}`);
  return `CREATE TABLE IF NOT EXISTS ${table} (
${columns.join(',\n')},
  INDEX by_date date TYPE minmax GRANULARITY 1
) ENGINE = MergeTree ORDER BY (partition, position, index)
SETTINGS non_replicated_deduplication_window = ${REMEMBERED_INSERTS}
COMMENT '${commentOf(scope)}'`;
}

const commentOf = (scope: string): string => `botledger export follow: ${scope}`;

/**
 * A table of ClickHouse. One insert is one block. A MergeTree table without partitions adds it whole or not at all. Its
 * token names the position before its rows, and the table takes a token once: so a late insert of a killed follower
 * cannot add rows that a later insert has added.
 */
export function clickHouseDestination({ url, table, scope }: ClickHouseOptions): Destination {
  const client = createClient({
    url,
    request_timeout: 5 * 60_000,
    application: 'botledger',
    log: { level: ClickHouseLogLevel.OFF },
  });

  async function select<Row>(query: string): Promise<Row[]> {
    const answer = await client.query({ query, format: 'JSONEachRow' });
    return answer.json<Row>();
  }

  async function lastPosition(partition: number): Promise<Position | null> {
    const [row] = await select<{ readonly position: string }>(
      `SELECT position FROM ${table} WHERE partition = ${partition} ORDER BY position DESC LIMIT 1`,
    );
    return row?.position ?? null;
  }

  return {
    async open() {
      await client.command({ query: createTable({ table, scope }) });
      const [found] = await select<{ engine: string; engine_full: string; partition_key: string; comment: string }>(
        `SELECT engine, engine_full, partition_key, comment FROM system.tables
          WHERE database = currentDatabase() AND name = '${table}'`,
      );
      const unfit = problemOf(found!, scope);
      if (unfit !== null) throw new UnfitDestinationError(`the table ${table} ${unfit}`);
    },
    async positions() {
      const rows = await select<{ readonly partition: number; readonly last: string }>(
        `SELECT partition, max(position) AS last FROM ${table} GROUP BY partition`,
      );
      return new Map(rows.map(({ partition, last }) => [partition, last]));
    },
    async put({ partition, after, rows }) {
      // For a follower that was stopped for longer than the table remembers inserts.
      const now = await lastPosition(partition);
      if (now !== after) return now;
      await client.insert({
        table,
        values: rows.map(valuesOf),
        format: 'JSONEachRow',
        clickhouse_settings: {
          async_insert: 0,
          insert_deduplicate: 1,
          insert_deduplication_token: `${partition} after ${after ?? 'nothing'}`,
          // One block: it is not divided by threads, nor by size.
          input_format_parallel_parsing: 0,
          max_insert_block_size: '1000000',
          min_insert_block_size_rows: '1000000',
          min_insert_block_size_bytes: '1000000000',
        },
      });
      return lastPosition(partition);
    },
    close: () => client.close(),
  };
}

/** Why events might be there twice, or be missing; null: the table is fit. */
function problemOf(
  found: {
    readonly engine: string;
    readonly engine_full: string;
    readonly partition_key: string;
    readonly comment: string;
  },
  scope: string,
): string | null {
  const { engine, engine_full, partition_key, comment } = found;
  if (comment !== commentOf(scope)) return `is not of this follower: its comment must be '${commentOf(scope)}'`;
  if (partition_key !== '') return 'has a partition key, so that an insert is not whole or absent';
  if (!/^(Replicated|Shared)?MergeTree$/.test(engine)) return `has the engine ${engine}; it must be a MergeTree`;
  if (engine === 'MergeTree' && !/non_replicated_deduplication_window = [1-9]/.test(engine_full))
    return 'needs the setting non_replicated_deduplication_window';
  return null;
}

/** The object of a row, as in JSON. Numbers of any length are texts. */
function valuesOf(row: TextRow): Record<string, string | null> {
  return Object.fromEntries(
    FOLLOW_COLUMNS.map(({ name, type }, index) => {
      const cell = row[index]!;
      return [name, type === 'date' && cell !== null ? momentOf(cell) : cell];
    }),
  );
}

const momentOf = (ms: string): string => new Date(Number(ms)).toISOString().replace('T', ' ').replace('Z', '');
