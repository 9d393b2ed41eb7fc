import { LRUCache } from 'lru-cache';
import type { Column, ColumnName } from '../../projections/events/packed/chunk.ts';
import type { Utm } from './matcher.ts';

/** Columns of a chunk, by their names. */
export type Columns = ReadonlyMap<ColumnName, Column>;

/**
 * Chunks, as far as reports have read their columns, for the next report. A chunk is replaced and never changed, and its id
 * is never used again, so what is found here is right whenever the chunk is in a report's snapshot. One entry a chunk: a look
 * for each of its columns was the most that a count of one type of event cost.
 */
export interface ChunkCache {
  get(chunk: string): Columns | undefined;
  /** Instead of what it had of the chunk. */
  set(chunk: string, columns: Columns): void;
  /** The UTM labels of the bot whose oldest chunk it is, by their ids: there may be more by now, and none ever changes. */
  utms(oldest: string): readonly Utm[] | undefined;
  setUtms(oldest: string, utms: readonly Utm[]): void;
}

/** @param maxBytes how much is kept, the rest being chunks, with all their columns, that were not read for longest */
export function createChunkCache(maxBytes: number): ChunkCache {
  const chunks = new LRUCache<string, Columns>({
    maxSize: Math.ceil(maxBytes * (1 - UTM_SHARE)),
    sizeCalculation: (columns) => [...columns.values()].reduce((sum, column) => sum + bytesOf(column), ENTRY),
  });
  const utms = new LRUCache<string, readonly Utm[]>({
    maxSize: Math.ceil(maxBytes * UTM_SHARE),
    sizeCalculation: ({ length }) => length * UTM,
  });
  return {
    get: (chunk) => chunks.get(chunk),
    set: (chunk, columns) => void chunks.set(chunk, columns),
    utms: (oldest) => utms.get(oldest),
    setUtms: (oldest, labels) => void utms.set(oldest, labels),
  };
}

/** Some bytes a column beside its arrays; a text of Latin letters has a byte a letter. */
function bytesOf(column: Column): number {
  switch (column.kind) {
    case 'place':
      return ENTRY + column.places.byteLength;
    case 'number':
      return ENTRY + column.numbers.byteLength;
    case 'coded': {
      const { codes, values } = column;
      const texts = values.reduce<number>(
        (sum, value) => sum + VALUE + (typeof value === 'string' ? value.length : 0),
        0,
      );
      // Where the events of each value stand is noted beside it once it was asked for (positions.ts).
      return ENTRY + codes.byteLength + codes.length * Uint32Array.BYTES_PER_ELEMENT + texts;
    }
  }
}

const UTM_SHARE = 0.1;
/** Five labels of some 20 letters, and what reports have numbered them by (combinations.ts). */
const UTM = 400;
const ENTRY = 300;
/** With the double that it is nearest to, where that was asked for (rounded.ts). */
const VALUE = 32;
