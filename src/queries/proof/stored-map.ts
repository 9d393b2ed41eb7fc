import { type MapEntry, type MapPart, type MapStep, mapPartOf, mapPath, mapRoot } from '../../proof/account-map.ts';
import type { Db } from './stored-trees.ts';

/** The map of accounts is hashed in parts: keys that begin with the same 12 bits. */
const PART_BITS = 12;

export function partOf(key: Uint8Array): number {
  return Buffer.from(key).readUInt16BE() >> (16 - PART_BITS);
}

/** The first key of a part; of the part after the last: a key above all. */
function firstKeyOf(part: number): Buffer {
  const key = Buffer.alloc(33, 0);
  if (part >> PART_BITS > 0) return Buffer.alloc(33, 0xff);
  key.writeUInt16BE(part << (16 - PART_BITS));
  return key.subarray(0, 32);
}

async function entriesOf(db: Db, part: number): Promise<MapEntry[]> {
  const { rows } = await db.query<{ key: Buffer; revision: string; leaves: string }>({
    name: 'proof_map_entries',
    text: 'SELECT key, revision, leaves FROM proof.map WHERE key >= $1 AND key < $2 ORDER BY key',
    values: [firstKeyOf(part), firstKeyOf(part + 1)],
  });
  return rows.map(({ key, revision, leaves }) => ({ key, revision: Number(revision), leaves: Number(leaves) }));
}

/** The hash over the accounts of a part; null: it has none. */
export async function partHash(db: Db, part: number): Promise<MapPart | null> {
  const entries = await entriesOf(db, part);
  return entries.length === 0 ? null : { key: entries[0]!.key, hash: mapRoot(entries.map(mapPartOf)) };
}

/** All parts of the map, as saved. */
export async function mapPartsOf(db: Db): Promise<MapPart[]> {
  const { rows } = await db.query<MapPart>('SELECT key, hash FROM proof.map_parts ORDER BY part');
  return rows;
}

/** The account's entry in the map and the steps from it to the map's root; null: the map has no such account. */
export async function mapProof(
  db: Db,
  key: Uint8Array,
): Promise<{ readonly entry: MapEntry; readonly steps: readonly MapStep[] } | null> {
  const entries = await entriesOf(db, partOf(key));
  const index = entries.findIndex((entry) => Buffer.compare(entry.key, key) === 0);
  if (index < 0) return null;
  const parts = await mapPartsOf(db);
  const within = mapPath(entries.map(mapPartOf), index);
  const above = mapPath(
    parts,
    parts.findIndex((part) => partOf(part.key) === partOf(key)),
  );
  return { entry: entries[index]!, steps: [...within, ...above] };
}
