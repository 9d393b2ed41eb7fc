/** Numbers pairs of a line of a report and an entity, such as a user, from 0 in the order in which they are met. */
export interface Slots {
  /** Entities that a line has, if a pair's number is `line * entities + entity`; null: it is looked up. */
  readonly direct: number | null;
  of(line: number, entity: number): number;
  /** Every number is below it, now and for as long as no other pair is met. */
  readonly size: number;
}

/** Entities that are numbers from 0 themselves need no look-up, where what is kept of all pairs is not too much. */
const MOST_DIRECT_BYTES = 2 ** 26;

/**
 * @param pairBytes kept of a pair
 * @param entities undefined: any numbers
 */
export function slots(lines: number, pairBytes: number, entities?: number): Slots {
  if (entities !== undefined && (lines === 1 || lines * entities * pairBytes <= MOST_DIRECT_BYTES))
    return { direct: entities, of: (line, entity) => line * entities + entity, size: lines * entities };
  return hashed();
}

/** Open addressing, at most half full. */
function hashed(): Slots {
  let capacity = 1024;
  let table = new Int32Array(capacity).fill(-1);
  let lines = new Int32Array(capacity / 2);
  let entities = new Float64Array(capacity / 2);
  let size = 0;

  function placeOf(line: number, entity: number): number {
    const low = entity >>> 0;
    const high = (entity / 0x1_0000_0000) >>> 0;
    let hash = Math.imul(low ^ (high << 7) ^ Math.imul(line + 1, 0x9e3779b1), 0x85ebca6b);
    hash ^= hash >>> 15;
    let place = hash & (capacity - 1);
    for (;;) {
      const slot = table[place]!;
      if (slot < 0 || (entities[slot] === entity && lines[slot] === line)) return place;
      place = (place + 1) & (capacity - 1);
    }
  }

  function grow(): void {
    capacity *= 2;
    table = new Int32Array(capacity).fill(-1);
    const [formerLines, formerEntities] = [lines, entities];
    lines = new Int32Array(capacity / 2);
    entities = new Float64Array(capacity / 2);
    lines.set(formerLines);
    entities.set(formerEntities);
    for (let slot = 0; slot < size; slot++) table[placeOf(lines[slot]!, entities[slot]!)] = slot;
  }

  return {
    direct: null,
    of(line, entity) {
      const place = placeOf(line, entity);
      const known = table[place]!;
      if (known >= 0) return known;
      const slot = size++;
      table[place] = slot;
      lines[slot] = line;
      entities[slot] = entity;
      if (2 * size > capacity - 2) grow();
      return slot;
    },
    get size() {
      return size;
    },
  };
}

/** An array that holds at least so many, with what it held. */
export function atLeast<A extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(array: A, size: number): A {
  if (array.length >= size) return array;
  const larger = new (array.constructor as new (length: number) => A)(Math.max(size, 2 * array.length));
  larger.set(array);
  return larger;
}
