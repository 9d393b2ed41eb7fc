/** Numbers pairs of a line and an entity, such as a user, from 0. */
interface PairIndex {
  /**
   * How many entities a line has, where the number of a pair is `line * entities + entity`. Null: a hash table numbers the
   * pairs in the order in which they first occur.
   */
  readonly entities: number | null;
  of(line: number, entity: number): number;
  /** All numbers are below it, until a new pair occurs. */
  readonly size: number;
}

/** Entities that are numbers from 0 need no hash table, as long as the state of all pairs takes at most this. */
const MAX_DIRECT_BYTES = 2 ** 26;

/**
 * @param pairBytes state that the caller keeps for each pair
 * @param entities how many there are, if they are numbers from 0; undefined: any numbers
 */
export function pairIndex(lines: number, pairBytes: number, entities?: number): PairIndex {
  if (entities !== undefined && (lines === 1 || lines * entities * pairBytes <= MAX_DIRECT_BYTES))
    return { entities, of: (line, entity) => line * entities + entity, size: lines * entities };
  return hashed();
}

/** A hash table with open addressing, at most half full. */
function hashed(): PairIndex {
  let capacity = 1024;
  /** The number of the pair, by its place in the table; -1: free. */
  let table = new Int32Array(capacity).fill(-1);
  let lines = new Int32Array(capacity / 2);
  let entities = new Float64Array(capacity / 2);
  let size = 0;

  /** The place of the pair in the table, or the free place where it belongs. */
  function find(line: number, entity: number): number {
    const low = entity >>> 0;
    const high = (entity / 0x1_0000_0000) >>> 0;
    let hash = Math.imul(low ^ (high << 7) ^ Math.imul(line + 1, 0x9e3779b1), 0x85ebca6b);
    hash ^= hash >>> 15;
    let at = hash & (capacity - 1);
    for (;;) {
      const number = table[at]!;
      if (number < 0 || (entities[number] === entity && lines[number] === line)) return at;
      at = (at + 1) & (capacity - 1);
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
    for (let number = 0; number < size; number++) table[find(lines[number]!, entities[number]!)] = number;
  }

  return {
    entities: null,
    of(line, entity) {
      const at = find(line, entity);
      const known = table[at]!;
      if (known >= 0) return known;
      const number = size++;
      table[at] = number;
      lines[number] = line;
      entities[number] = entity;
      if (2 * size > capacity - 2) grow();
      return number;
    },
    get size() {
      return size;
    },
  };
}
