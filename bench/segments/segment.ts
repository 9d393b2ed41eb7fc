import {
  type Chunk,
  type CodedColumn,
  type Column,
  type ColumnName,
  FIXED_COLUMNS,
  kindOf,
  newCodes,
  nothingCoded,
  numbersOf,
} from '../../src/columns/chunk.ts';
import { DecimalColumn } from '../../src/columns/decimals.ts';
import { eachProperty, propertyColumn } from '../../src/columns/property-codes.ts';

/**
 * The columns of a segment: facts in the order of (date, ord). Amounts are derived at the read (amounts.ts), so `value_int` is the
 * value as sent. A new segment is JSON, since a segment of few events costs more as columns: 180 instead of 5 µs for one event.
 */
export const FACTS = [...FIXED_COLUMNS.filter((name) => name !== 'value_amount'), 'event_key' as ColumnName];
const [DATE, ORD] = [FACTS.indexOf('date'), FACTS.indexOf('ord')] as const;
export const SESSION = FACTS.indexOf('session');
const PROPERTIES = FACTS.length;
const COMMIT = PROPERTIES + 1;

type Cell = string | number | null;
/** The values of FACTS, the JSON text of the properties, and the id of the commit. */
export type Fact = Cell[];

export const dateOf = (fact: Fact): number => fact[DATE] as number;
export const ordOf = (fact: Fact): number => fact[ORD] as number;
export const commitOf = (fact: Fact): string => fact[COMMIT] as string;
export const byMoment = (a: Fact, b: Fact): number => dateOf(a) - dateOf(b) || ordOf(a) - ordOf(b);

/** The body of a segment, with each commit once. */
export function bodyOf(facts: readonly Fact[]): string {
  const numbers = new Map<Cell, number>();
  const rows = facts.map((fact) => {
    const commit = fact[COMMIT]!;
    if (!numbers.has(commit)) numbers.set(commit, numbers.size);
    return fact.with(COMMIT, numbers.get(commit)!);
  });
  return JSON.stringify([[...numbers.keys()], rows]);
}

export function factsOf(body: string): Fact[] {
  const [commits, rows] = JSON.parse(body) as [string[], Fact[]];
  for (const row of rows) row[COMMIT] = commits[row[COMMIT] as number]!;
  return rows;
}

/** @param facts in the order of (date, ord) */
export function segmentOf(facts: readonly Fact[], names: readonly ColumnName[] = FACTS, properties = true): Chunk {
  const columns = new Map<ColumnName, Column>();
  for (const name of names) {
    const at = FACTS.indexOf(name);
    if (at >= 0)
      columns.set(
        name,
        columnOf(name, facts, (fact) => fact[at]!),
      );
  }
  if (properties) for (const [name, column] of propertiesOf(facts)) columns.set(name, column);
  return { size: facts.length, columns };
}

function propertiesOf(facts: readonly Fact[]): Map<ColumnName, Column> {
  const found = new Map<ColumnName, Map<number, string>>();
  for (const [i, fact] of facts.entries()) {
    const text = fact[PROPERTIES] as string | null;
    if (text !== null)
      for (const [name, json] of eachProperty(text)) {
        const column = propertyColumn(name);
        if (!found.has(column)) found.set(column, new Map());
        found.get(column)!.set(i, json);
      }
  }
  const rows = facts.map((_, i) => i);
  return new Map([...found].map(([name, values]) => [name, columnOf(name, rows, (row) => values.get(row) ?? null)]));
}

function columnOf<T>(name: ColumnName, rows: readonly T[], value: (row: T) => Cell): Column {
  const size = rows.length;
  switch (kindOf(name)) {
    case 'index': {
      const indexes = new Uint32Array(size);
      for (let i = 0; i < size; i++) indexes[i] = (value(rows[i]!) as number | null) ?? 0;
      return { kind: 'index', indexes };
    }
    case 'number': {
      const numbers = new Float64Array(size);
      for (let i = 0; i < size; i++) numbers[i] = (value(rows[i]!) as number | null) ?? Number.NaN;
      return { kind: 'number', numbers };
    }
    case 'coded': {
      const codes = new Uint32Array(size);
      const codeOf = new Map<Cell, number>([[null, 0]]);
      for (let i = 0; i < size; i++) codes[i] = codeFor(codeOf, value(rows[i]!));
      return coded(codes, codeOf, size, name === 'value_int');
    }
  }
}

function codeFor(codeOf: Map<Cell, number>, value: Cell): number {
  const known = codeOf.get(value);
  if (known !== undefined) return known;
  codeOf.set(value, codeOf.size);
  return codeOf.size - 1;
}

function coded(codes: Uint32Array, codeOf: ReadonlyMap<Cell, number>, size: number, areDecimals: boolean): CodedColumn {
  const used = newCodes(codeOf.size, size);
  used.set(codes);
  const values = [...codeOf.keys()];
  if (areDecimals) return new DecimalColumn(used, Buffer.from(JSON.stringify(values)), values.length);
  return { kind: 'coded', codes: used, values };
}

/** Merges segments into one, in the order of (date, ord). A column that one of them lacks has no values there. */
export function mergeSegments(segments: readonly Chunk[]): Chunk {
  if (segments.length === 1) return segments[0]!;
  const size = segments.reduce((sum, each) => sum + each.size, 0);
  const order = orderOf(segments, size);
  const columns = new Map<ColumnName, Column>();
  for (const name of new Set(segments.flatMap(({ columns }) => [...columns.keys()])))
    columns.set(
      name,
      picked(
        segments.map(({ columns, size }) => columns.get(name) ?? nothingCoded(size)),
        order,
      ),
    );
  return { size, columns };
}

/** The events of all segments, one segment after another, in the order of (date, ord): neighbouring runs are merged until one is left. */
function orderOf(segments: readonly Chunk[], size: number): Uint32Array {
  const dates = concatenated(
    Float64Array,
    segments.map((segment) => numbersOf(segment, 'date')),
  );
  const ords = concatenated(
    Float64Array,
    segments.map((segment) => numbersOf(segment, 'ord')),
  );
  let order = new Uint32Array(size);
  for (let i = 0; i < size; i++) order[i] = i;
  let ends: number[] = [];
  for (const { size } of segments) ends.push((ends.at(-1) ?? 0) + size);
  for (let into = new Uint32Array(size); ends.length > 1; [order, into] = [into, order]) {
    const merged: number[] = [];
    for (let run = 0, begin = 0; run < ends.length; begin = ends[run + 1] ?? size, run += 2) {
      const end = ends[run + 1] ?? ends[run]!;
      mergeRuns({ dates, ords }, order, into, begin, ends[run]!, end);
      merged.push(end);
    }
    ends = merged;
  }
  return order;
}

interface Moments {
  readonly dates: Float64Array;
  readonly ords: Float64Array;
}

/** Merges the runs from `begin` to before `middle` and from there to before `end`. */
function mergeRuns(
  { dates, ords }: Moments,
  order: Uint32Array,
  into: Uint32Array,
  begin: number,
  middle: number,
  end: number,
): void {
  let [a, b] = [begin, middle];
  for (let at = begin; at < end; at++) {
    const [first, second] = [order[a]!, order[b]!];
    const isFirst =
      b === end ||
      (a < middle &&
        (dates[first]! < dates[second]! || (dates[first] === dates[second] && ords[first]! < ords[second]!)));
    into[at] = isFirst ? first : second;
    if (isFirst) a++;
    else b++;
  }
}

function picked(parts: readonly Column[], order: Uint32Array): Column {
  const [first] = parts;
  if (first!.kind === 'index')
    return {
      kind: 'index',
      indexes: pick(
        Uint32Array,
        parts.map((part) => (part as { indexes: Uint32Array }).indexes),
        order,
      ),
    };
  if (first!.kind === 'number')
    return {
      kind: 'number',
      numbers: pick(
        Float64Array,
        parts.map((part) => (part as { numbers: Float64Array }).numbers),
        order,
      ),
    };
  return pickCoded(parts as readonly CodedColumn[], order);
}

/** The codes of the values that the picked events have. */
function pickCoded(parts: readonly CodedColumn[], order: Uint32Array): CodedColumn {
  const codeOf = new Map<Cell, number>([[null, 0]]);
  let size = 0;
  for (const { codes } of parts) size += codes.length;
  if (parts.every(({ values }) => values.length === 1))
    return { kind: 'coded', codes: new Uint8Array(order.length), values: [null] };
  /** By event: the number of its value among the values of all parts; then by this number its code. */
  const numberAt = new Uint32Array(size);
  const all: Cell[] = [];
  let at = 0;
  for (const { codes, values } of parts) {
    const base = all.length;
    for (const value of values) all.push(value);
    for (let i = 0; i < codes.length; i++) numberAt[at++] = base + codes[i]!;
  }
  const codes = new Uint32Array(order.length);
  const newCode = new Int32Array(all.length).fill(-1);
  for (let i = 0; i < codes.length; i++) {
    const number = numberAt[order[i]!]!;
    let code = newCode[number]!;
    if (code < 0) newCode[number] = code = codeFor(codeOf, all[number]!);
    codes[i] = code;
  }
  return coded(
    codes,
    codeOf,
    order.length,
    parts.some((part) => part instanceof DecimalColumn),
  );
}

type NumberArray = Uint32Array | Float64Array;

function concatenated<A extends NumberArray>(Type: new (size: number) => A, parts: readonly A[]): A {
  if (parts.length === 1) return parts[0]!;
  let size = 0;
  for (const part of parts) size += part.length;
  const all = new Type(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function pick<A extends NumberArray>(Type: new (size: number) => A, parts: readonly A[], order: Uint32Array): A {
  const all = concatenated(Type, parts);
  const into = new Type(order.length);
  for (let i = 0; i < order.length; i++) into[i] = all[order[i]!]!;
  return into;
}
