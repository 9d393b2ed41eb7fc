import type { ClientBase } from 'pg';
import { type Chunk, type CodedColumn, type ColumnName, indexesOf, numbersOf } from '../../src/columns/chunk.ts';
import { decodeColumn, encodeColumn, encodeProperty } from '../../src/columns/encoding.ts';
import { propertyColumn, propertyOf } from '../../src/columns/property-codes.ts';
import { commitOf, FACTS, type Fact, ordOf, segmentOf } from './segment.ts';
import type { Part } from './sessions.ts';

/** The rows of the table `chunks`: as today's, with the ids of commits and the keys of events, without amounts. */

export interface ChunkKey {
  readonly date: number;
  readonly ord: number;
}

export interface StoredKey extends ChunkKey {
  readonly id: string;
  readonly events: number;
}

export function partOf(chunk: Chunk): Part {
  const sessions = numbersOf(chunk, 'session').slice();
  return {
    dates: numbersOf(chunk, 'date'),
    ords: numbersOf(chunk, 'ord'),
    users: indexesOf(chunk, 'user_idx'),
    sessions,
    changed: false,
  };
}

export async function chunksOf(tx: ClientBase, bot: number, from = Number.MIN_SAFE_INTEGER): Promise<StoredKey[]> {
  const { rows } = await tx.query<[string, number, number, number]>({
    name: 'segments.chunks',
    text: 'SELECT id, last_date::float8, last_ord::float8, events FROM chunks WHERE bot_id = $1 AND last_date >= $2 ORDER BY last_date, last_ord',
    values: [bot, from],
    rowMode: 'array',
  });
  return rows.map(([id, date, ord, events]) => ({ id, date, ord, events }));
}

export async function addChunk(tx: ClientBase, bot: number, facts: readonly Fact[]): Promise<void> {
  await writeChunk(
    tx,
    bot,
    segmentOf(facts),
    new Map(facts.map((fact) => [Math.floor(ordOf(fact) / 1024), commitOf(fact)])),
  );
}

async function writeChunk(
  tx: ClientBase,
  bot: number,
  { size, columns }: Chunk,
  commits: ReadonlyMap<number, string>,
): Promise<void> {
  const chunk = { size, columns };
  const [dates, ords] = [numbersOf(chunk, 'date'), numbersOf(chunk, 'ord')];
  const received = numbersOf(chunk, 'date_received').reduce((latest, each) => Math.max(latest, each));
  const ids = [...commits].map(([ordinal, id]) => {
    const bytes = Buffer.alloc(24);
    bytes.writeDoubleLE(ordinal);
    bytes.write(id.replaceAll('-', ''), 8, 'hex');
    return bytes;
  });
  const { rows } = await tx.query<{ id: string }>({
    name: 'segments.add_chunk',
    text: `INSERT INTO chunks (bot_id, last_date, last_ord, events, received, commits, ${FACTS.join()})
           VALUES ($1, $2, $3, $4, $5, $6, ${FACTS.map((_, i) => `$${i + 7}`).join()}) RETURNING id`,
    values: [
      bot,
      dates.at(-1),
      ords.at(-1),
      size,
      received,
      Buffer.concat(ids),
      ...FACTS.map((name) => encodeColumn(columns.get(name)!)),
    ],
  });
  const properties = [...columns].filter(([name]) => propertyOf(name) !== null) as [ColumnName, CodedColumn][];
  if (properties.length === 0) return;
  await tx.query({
    name: 'segments.add_properties',
    text: 'INSERT INTO chunk_properties (bot_id, chunk, name, bytes) SELECT $1, $2, name, bytes FROM unnest($3::text[], $4::bytea[]) AS p (name, bytes)',
    values: [
      bot,
      rows[0]!.id,
      properties.map(([name]) => propertyOf(name)),
      properties.map(([, column]) => encodeProperty(column)),
    ],
  });
}

export async function replaceChunk(
  tx: ClientBase,
  bot: number,
  { id }: StoredKey,
  { size, columns }: Chunk,
  commits: ReadonlyMap<number, string>,
): Promise<void> {
  await tx.query({
    name: 'segments.drop_chunk',
    text: 'DELETE FROM chunks WHERE bot_id = $1 AND id = $2',
    values: [bot, id],
  });
  await tx.query({
    name: 'segments.drop_properties',
    text: 'DELETE FROM chunk_properties WHERE bot_id = $1 AND chunk = $2',
    values: [bot, id],
  });
  await writeChunk(tx, bot, { size, columns }, commits);
}

export async function readChunk(
  tx: ClientBase,
  bot: number,
  { id, events }: StoredKey,
  names: readonly ColumnName[] = FACTS,
): Promise<{ chunk: Chunk; commits: Map<number, string> }> {
  const { rows } = await tx.query<(Buffer | null)[]>({
    text: `SELECT commits, ${names.join()} FROM chunks WHERE bot_id = $1 AND id = $2`,
    values: [bot, id],
    rowMode: 'array',
  });
  const [ids, ...bytes] = rows[0]!;
  const columns = new Map(names.map((name, i) => [name, decodeColumn(name, events, bytes[i]!)]));
  if (names === FACTS) {
    const found = await tx.query<[string, Buffer]>({
      text: 'SELECT name, bytes FROM chunk_properties WHERE bot_id = $1 AND chunk = $2',
      values: [bot, id],
      rowMode: 'array',
    });
    for (const [name, bytes] of found.rows)
      columns.set(propertyColumn(name), decodeColumn(propertyColumn(name), events, bytes));
  }
  const commits = new Map<number, string>();
  for (let at = 0; at < ids!.length; at += 24)
    commits.set(ids!.readDoubleLE(at), ids!.toString('hex', at + 8, at + 24));
  return { chunk: { size: events, columns }, commits };
}
