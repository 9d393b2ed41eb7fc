import {
  type Chunk,
  type CodedColumn,
  type CodedName,
  type Codes,
  type ColumnName,
  codedOf,
  type IndexName,
  indexesOf,
} from './chunk.ts';
import { listedByCode, NO_POSITIONS, type Positions } from './positions.ts';

/** Whether the condition holds for the event at a position of a chunk. */
type EventTest = (at: number) => boolean;

/** A condition, compiled to test the events of chunks. */
export interface EventCondition {
  readonly columns: readonly ColumnName[];
  testOf(chunk: Chunk): EventTest;
  /** Writes the positions where the condition holds. `into` may be the array of the positions. @returns how many */
  select(chunk: Chunk, positions: Positions, into: Positions): number;
  /** Of how many events from position `begin` to before `end` the condition holds: faster than to select them. */
  count?(chunk: Chunk, begin: number, end: number): number;
  /** The events where the condition holds, ascending, if a posting list has just these. Null: none has. */
  listed?(chunk: Chunk): Positions | null;
}

/** Each part selects from the selection of the parts before it. */
export function allOf(parts: readonly EventCondition[]): EventCondition {
  const [only, another] = parts;
  if (only !== undefined && another === undefined) return only;
  return {
    columns: parts.flatMap(({ columns }) => columns),
    testOf(chunk) {
      const tests = parts.map((part) => part.testOf(chunk));
      return (at) => tests.every((test) => test(at));
    },
    select(chunk, positions, into) {
      let selected = positions;
      for (const part of parts) {
        if (selected.length === 0) break;
        selected = into.subarray(0, part.select(chunk, selected, into));
      }
      return selected.length;
    },
  };
}

export function anyOf(parts: readonly EventCondition[]): EventCondition {
  return byTest(
    parts.flatMap(({ columns }) => columns),
    (chunk) => {
      const tests = parts.map((part) => part.testOf(chunk));
      return (at) => tests.some((test) => test(at));
    },
  );
}

export function byTest(columns: readonly ColumnName[], testOf: (chunk: Chunk) => EventTest): EventCondition {
  return {
    columns,
    testOf,
    select(chunk, positions, into) {
      const test = testOf(chunk);
      let size = 0;
      for (let i = 0; i < positions.length; i++) {
        const at = positions[i]!;
        if (test(at)) into[size++] = at;
      }
      return size;
    },
  };
}

/** @param keysOf gives a key of each event, by position, and whether the condition holds (1) or not (0), by key */
export function byKey(column: ColumnName, keysOf: (chunk: Chunk) => Keys): EventCondition {
  return {
    columns: [column],
    testOf(chunk) {
      const { keys, passes } = keysOf(chunk);
      return (at) => passes[keys[at]!] === 1;
    },
    select(chunk, positions, into) {
      const { keys, passes } = keysOf(chunk);
      let size = 0;
      // Writes every position and keeps it or not: a branch that half of the events take would be mispredicted each time.
      for (let i = 0; i < positions.length; i++) {
        const at = positions[i]!;
        into[size] = at;
        size += passes[keys[at]!]!;
      }
      return size;
    },
    count(chunk, begin, end) {
      const { keys, passes } = keysOf(chunk);
      let events = 0;
      for (let at = begin; at < end; at++) events += passes[keys[at]!]!;
      return events;
    },
  };
}

interface Keys {
  readonly keys: Codes;
  readonly passes: Uint8Array;
}

/** Also finds events by the posting list of a column's value, if the condition holds only for that value. */
export function byCode(column: CodedName, passesOf: (coded: CodedColumn) => Uint8Array): EventCondition {
  let last: { readonly coded: CodedColumn; readonly keys: Keys } | undefined;
  function keysOf(chunk: Chunk): Keys {
    const coded = codedOf(chunk, column);
    if (last?.coded !== coded) last = { coded, keys: { keys: coded.codes, passes: passesOf(coded) } };
    return last.keys;
  }
  return {
    ...byKey(column, keysOf),
    listed(chunk) {
      const { passes } = keysOf(chunk);
      const code = passes.indexOf(1);
      if (code < 0) return NO_POSITIONS;
      return passes.indexOf(1, code + 1) < 0 ? listedByCode(codedOf(chunk, column), code) : null;
    },
  };
}

/** @param passes 1 where the condition holds, by the column's index */
export function byIndex(column: IndexName, passes: Uint8Array): EventCondition {
  return byKey(column, (chunk) => ({ keys: indexesOf(chunk, column), passes }));
}
