import { LRUCache } from 'lru-cache';
import type { CodedColumn, CodedName, Column, ColumnName } from '../../columns/chunk.ts';
import { DecimalColumn } from '../../columns/decimals.ts';
import { Dictionary } from '../../columns/dictionary.ts';
import type { Utm } from './field-sql.ts';

/** Columns of a chunk, by name. */
export type Columns = ReadonlyMap<ColumnName, Column>;

/**
 * Keeps the columns of chunks that reports have read, for the next report. A chunk is replaced and never changed, and its
 * id is never reused, so an entry is valid whenever the chunk is in a report's snapshot. The cache has one entry for each
 * chunk: with one for each column, the look-ups were the largest cost of counting one event type.
 */
export interface ChunkCache {
  get(chunk: string): Columns | undefined;
  /** Replaces the entry of the chunk. */
  set(chunk: string, columns: Columns): void;
  /**
   * The UTM labels of a bot by their ids, kept under the id of the bot's oldest chunk. Labels never change, but the bot may
   * have newer ones.
   */
  utms(oldest: string): readonly Utm[] | undefined;
  setUtms(oldest: string, utms: readonly Utm[]): void;
  /** An entry by its key. The key names the bot and its tables. The caller checks that it belongs to its snapshot. */
  kept<T extends Kept>(key: string): T | typeof TOO_LARGE | undefined;
  keep(key: string, entry: Kept): void;
  /** The dictionary under a key. The key names a bot's oldest chunk and a column. Null: it would be too large. */
  dictionary(key: string): Dictionary | null;
  /** A report has read a chunk whose columns were all here. */
  hit(): void;
  readonly use: CacheUse;
}

/** An entry, other than columns of chunks, that a thread keeps for its next reports. */
export interface Kept {
  /** The approximate size. */
  readonly bytes: number;
}

/** Chunks that reports have read: with all their columns in the cache, and from the database. The present size in bytes. */
export interface CacheUse {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

/** @param maxBytes a limit for all entries; the cache evicts the least recently read, a chunk with all its columns */
export function createChunkCache(maxBytes: number): ChunkCache {
  const entries = new LRUCache<string, Entry>({
    maxSize: Math.ceil(maxBytes * (1 - UTM_SHARE)),
    sizeCalculation: bytesOfEntry,
  });
  const utms = new LRUCache<string, readonly Utm[]>({
    maxSize: Math.ceil(maxBytes * UTM_SHARE),
    sizeCalculation: ({ length }) => length * UTM_BYTES,
  });

  function keep<T extends Kept>(key: string, entry: T): T | typeof TOO_LARGE {
    const kept = entry.bytes > maxBytes * LARGEST_SHARE ? TOO_LARGE : entry;
    entries.set(key, kept);
    return kept;
  }

  let hits = 0;
  let misses = 0;
  return {
    get: (chunk) => entries.get(chunk) as Columns | undefined,
    set(chunk, columns) {
      misses++;
      entries.set(chunk, columns);
    },
    hit: () => void hits++,
    get use() {
      return { hits, misses, bytes: entries.calculatedSize + utms.calculatedSize };
    },
    utms: (oldest) => utms.get(oldest),
    setUtms: (oldest, labels) => void utms.set(oldest, labels),
    kept: <T extends Kept>(key: string) => entries.get(key) as T | typeof TOO_LARGE | undefined,
    keep: (key, entry) => void keep(key, entry),
    dictionary(key) {
      const known = entries.get(key) as Dictionary | typeof TOO_LARGE | undefined;
      if (known === TOO_LARGE) return null;
      // The entry may have grown since it was kept, so it is counted again.
      const kept = keep(key, known ?? new Dictionary());
      return kept === TOO_LARGE ? null : kept;
    },
  };
}

/** Columns under the id of their chunk; others under keys that are no ids. */
type Entry = Columns | Kept | typeof TOO_LARGE;
/** Instead of an entry that would take more than {@link LARGEST_SHARE}. */
export const TOO_LARGE = 'too large';
/** The largest fraction of the cache for one other entry, such as a field of users or a dictionary. */
const LARGEST_SHARE = 0.25;

function bytesOfEntry(entry: Entry): number {
  if (entry === TOO_LARGE) return ENTRY_BYTES;
  return ENTRY_BYTES + ('bytes' in entry ? entry.bytes : bytesOfColumns(entry));
}

/** The approximate size of columns. */
export function bytesOfColumns(columns: Columns): number {
  return [...columns.values()].reduce((sum, column) => sum + bytesOf(column), 0);
}

/** The approximate size of a column. A text of Latin letters takes one byte a letter. */
function bytesOf(column: Column): number {
  switch (column.kind) {
    case 'index':
      return ENTRY_BYTES + column.indexes.byteLength;
    case 'number':
      return ENTRY_BYTES + column.numbers.byteLength;
    case 'coded': {
      const { codes } = column;
      // Includes the posting lists that are built for a column on first use (positions.ts).
      return ENTRY_BYTES + codes.byteLength + codes.length * Uint32Array.BYTES_PER_ELEMENT + valueBytesOf(column);
    }
  }
}

function valueBytesOf(column: CodedColumn): number {
  if (column instanceof DecimalColumn) return column.valueBytes;
  const lengths = column.values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
  // Includes the numbers in a dictionary, and where posting lists begin.
  return lengths + column.values.length * (VALUE_BYTES + 2 * Uint32Array.BYTES_PER_ELEMENT);
}

/** The fraction of the cache for UTM labels. */
const UTM_SHARE = 0.1;
/** Bytes of five labels of about 20 letters, with the numberings that reports have made of them (combinations.ts). */
const UTM_BYTES = 400;
/** Bytes of an entry or column besides its arrays. */
const ENTRY_BYTES = 300;
/** Bytes of a value besides its letters. */
const VALUE_BYTES = 32;

/** The dictionaries of a bot's columns. */
export interface Dictionaries {
  /** Null: the column has too many values, or the bot no chunks. */
  of(column: CodedName): Dictionary | null;
}

/** @param oldestChunk dictionaries and UTM labels are kept under its id; null: the bot has no chunks */
export function openDictionaries(cache: ChunkCache, oldestChunk: string | null): Dictionaries {
  return { of: (column) => (oldestChunk === null ? null : cache.dictionary(`${oldestChunk} ${column}`)) };
}
