import { LRUCache } from 'lru-cache';
import type { Chunk, CodedColumn, CodedName, Column, ColumnName } from '../../columns/chunk.ts';
import { DecimalColumn } from '../../columns/decimals.ts';
import { Dictionary } from '../../columns/dictionary.ts';
import type { Utm } from './fields.ts';
import type { KeptUserColumn } from './kept-user-column.ts';

/** Columns of a chunk, by name. */
export type Columns = ReadonlyMap<ColumnName, Column>;

/** A chunk in a list. */
export interface StoredChunk {
  readonly id: string;
  readonly events: number;
  /** The date of its last event. */
  readonly last: number;
}

/** A thread keeps the list of a bot's chunks until events are packed again. */
export interface KeptChunks {
  readonly packings: number;
  readonly chunks: readonly StoredChunk[];
  readonly bytes: number;
}

/** Events that are not packed, as a thread keeps them until events are written or packed. */
export interface KeptLooseEvents {
  readonly writes: number;
  readonly packings: number;
  readonly chunks: readonly Chunk[];
  readonly bytes: number;
}

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
  /** A field of a bot's users, under a key of both. */
  userColumn(key: string): KeptUserColumn | 'too large' | undefined;
  setUserColumn(key: string, column: KeptUserColumn): void;
  /** The list of a bot's chunks, and its events that are not packed, each under a key that names the bot and its tables. */
  chunks(key: string): KeptChunks | undefined;
  setChunks(key: string, chunks: KeptChunks): void;
  loose(key: string): KeptLooseEvents | undefined;
  setLoose(key: string, events: KeptLooseEvents): void;
  /** The dictionary under a key, which names a bot's oldest chunk and a column. Null: it would be too large. */
  dictionary(key: string): Dictionary | null;
  /** A report has read a chunk whose columns were all here. */
  hit(): void;
  readonly use: CacheUse;
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

  function keep<T extends KeptUserColumn | Dictionary>(key: string, entry: T): T | typeof TOO_LARGE {
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
    chunks: (key) => entries.get(key) as KeptChunks | undefined,
    setChunks: (key, chunks) => void entries.set(key, chunks),
    loose: (key) => entries.get(key) as KeptLooseEvents | undefined,
    setLoose: (key, events) => void entries.set(key, events),
    userColumn: (key) => entries.get(key) as KeptUserColumn | typeof TOO_LARGE | undefined,
    setUserColumn: (key, column) => void keep(key, column),
    dictionary(key) {
      const known = entries.get(key) as Dictionary | typeof TOO_LARGE | undefined;
      if (known === TOO_LARGE) return null;
      // It may have grown since it was kept, and is counted again.
      const kept = keep(key, known ?? new Dictionary());
      return kept === TOO_LARGE ? null : kept;
    },
  };
}

/** Columns under the id of their chunk; others under keys that are no ids. */
type Entry = Columns | { readonly bytes: number } | typeof TOO_LARGE;
/** Instead of an entry that would take more than {@link LARGEST_SHARE}. */
const TOO_LARGE = 'too large';
/** The largest part of the cache for one field of users, or one dictionary. */
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
      // Includes the posting lists that are built beside a column on first use (positions.ts).
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

/** The part of the cache that is for UTM labels. */
const UTM_SHARE = 0.1;
/** Bytes of five labels of some 20 letters, with the numberings that reports have made of them (combinations.ts). */
const UTM_BYTES = 400;
/** Bytes of an entry or column beside its arrays. */
const ENTRY_BYTES = 300;
/** Bytes of a value beside its letters. */
const VALUE_BYTES = 32;

/** The dictionaries of a bot's columns. */
export interface Dictionaries {
  /** Null: the column has too many values, or the bot no chunks. */
  of(column: CodedName): Dictionary | null;
}

/** @param oldestChunk under its id dictionaries are kept, as UTM labels are; null: the bot has no chunks */
export function openDictionaries(cache: ChunkCache, oldestChunk: string | null): Dictionaries {
  return { of: (column) => (oldestChunk === null ? null : cache.dictionary(`${oldestChunk} ${column}`)) };
}
