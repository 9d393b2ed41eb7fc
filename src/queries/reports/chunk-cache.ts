import { LRUCache } from 'lru-cache';
import type { CodedColumn, Column, ColumnName } from '../../projections/events/packed/chunk.ts';
import { DecimalColumn } from '../../projections/events/packed/decimals.ts';
import type { Utm } from './compiled-condition.ts';

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
}

/** @param maxBytes a limit for all entries; the cache evicts the least recently read, a chunk with all its columns */
export function createChunkCache(maxBytes: number): ChunkCache {
  const chunks = new LRUCache<string, Columns>({
    maxSize: Math.ceil(maxBytes * (1 - UTM_SHARE)),
    sizeCalculation: (columns) => [...columns.values()].reduce((sum, column) => sum + bytesOf(column), ENTRY_BYTES),
  });
  const utms = new LRUCache<string, readonly Utm[]>({
    maxSize: Math.ceil(maxBytes * UTM_SHARE),
    sizeCalculation: ({ length }) => length * UTM_BYTES,
  });
  return {
    get: (chunk) => chunks.get(chunk),
    set: (chunk, columns) => void chunks.set(chunk, columns),
    utms: (oldest) => utms.get(oldest),
    setUtms: (oldest, labels) => void utms.set(oldest, labels),
  };
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
  return lengths + column.values.length * VALUE_BYTES;
}

/** The part of the cache that is for UTM labels. */
const UTM_SHARE = 0.1;
/** Bytes of five labels of some 20 letters, with the numberings that reports have made of them (combinations.ts). */
const UTM_BYTES = 400;
/** Bytes of an entry or column beside its arrays. */
const ENTRY_BYTES = 300;
/** Bytes of a value beside its letters. */
const VALUE_BYTES = 32;
