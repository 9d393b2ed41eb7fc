import { parquetReadObjects } from 'hyparquet';
import { parse } from 'lossless-json';
import type { RecordedCommit } from '../../src/log/port.ts';
import type { ClickHouseServer } from './clickhouse-server.ts';
import type { S3Server } from './s3-server.ts';

/** An event at a destination, with its place in the log. Values are texts. */
export interface Followed {
  readonly position: string;
  readonly id: string;
  readonly user_id: string;
  readonly date: string;
  readonly event_type_id: string | null;
  readonly value: string | null;
  readonly properties: string | null;
}

interface Item {
  readonly user_id: number;
  readonly date?: number;
  readonly event_id?: number;
  readonly value?: string;
  readonly properties?: Record<string, string | boolean | { number: string }>;
}

/** The events of these commits, read plainly: a destination must have each of them once. */
export function eventsIn(commits: readonly RecordedCommit[], bot?: string): Followed[] {
  return commits
    .filter(({ stream }) => /^(intake|import)-/.test(stream) && (bot === undefined || stream.split(/[-/]/)[1] === bot))
    .flatMap(({ id, position, at, events }) =>
      events.flatMap(({ type, data }) => {
        const { items, user_id } = data as { items?: Item[]; user_id?: number };
        const given = type === 'user_erased' ? [{ user_id: user_id! }] : items!;
        return given.flatMap((item: Item, index) => {
          if (item.event_id === undefined && type !== 'user_erased') return [];
          return {
            position,
            id: `${id}.${index}`,
            user_id: String(item.user_id),
            date: new Date(item.date ?? at).toISOString(),
            event_type_id: item.event_id === undefined ? null : String(item.event_id),
            value: item.value ?? null,
            properties: item.properties === undefined ? null : JSON.stringify(plain(item.properties)),
          };
        });
      }),
    )
    .sort(byPlace);
}

function plain(properties: NonNullable<Item['properties']>): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, typeof value === 'object' ? parse(value.number) : value]),
  );
}

/** All rows of the table, repeats included. */
export function eventsInClickHouse(server: ClickHouseServer, table = 'botledger_events'): Followed[] {
  return server
    .rows<Record<string, string | number | null>>(
      `SELECT position, id, user_id, formatDateTime(date, '%FT%T.%fZ') AS date, event_type_id, toString(value) AS value, properties FROM ${table}`,
    )
    .map((row) => ({ ...row, date: String(row['date']).replace(/000Z$/, 'Z') }))
    .map(texts)
    .sort(byPlace);
}

/** All rows of all objects, repeats included. */
export async function eventsInS3(server: S3Server): Promise<Followed[]> {
  const rows: Followed[] = [];
  for (const [key, { body }] of server.objects()) {
    if (!key.endsWith('.parquet')) continue;
    const file = body.buffer.slice(body.byteOffset, body.byteOffset + body.byteLength) as ArrayBuffer;
    rows.push(...(await parquetReadObjects({ file })).map(texts));
  }
  return rows.sort(byPlace);
}

function texts(row: Readonly<Record<string, unknown>>): Followed {
  const text = (value: unknown): string | null => {
    if (value === null || value === undefined) return null;
    return value instanceof Date ? value.toISOString() : String(value);
  };
  const properties = text(row['properties']);
  return {
    position: String(text(row['position'])),
    id: String(text(row['id'])),
    user_id: String(text(row['user_id'])),
    date: String(text(row['date'])),
    event_type_id: text(row['event_type_id']),
    value: text(row['value']),
    properties: properties === null ? null : JSON.stringify(parse(properties)),
  };
}

function byPlace(a: Followed, b: Followed): number {
  const place = ({ position, id }: Followed) => `${position} ${id.split('.')[1]!.padStart(6, '0')}`;
  return place(a) < place(b) ? -1 : 1;
}
