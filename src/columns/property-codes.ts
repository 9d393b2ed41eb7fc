import { PROPERTY_NAME } from '../domain/intake/properties.ts';
import {
  type Chunk,
  type CodedColumn,
  type CodedName,
  type ColumnName,
  codedOf,
  type PropertyColumn,
} from './chunk.ts';

/**
 * Properties of events in chunks: properties of platform updates and custom ones. Each property that occurs in a chunk
 * is a coded column of the JSON texts of its values: `3`, `true`, `"pro"`.
 */

const PREFIX = 'properties.';

/** The column of a property. No property has the other names that a report may give: their column has no values. */
export function propertyColumn(name: string): PropertyColumn {
  return `${PREFIX}${PROPERTY_NAME.test(name) ? name : ''}`;
}

/** The property of a column; null: it is a column of other values. The name holds no quote, so SQL may have it as it is. */
export function propertyOf(column: ColumnName): string | null {
  return column.startsWith(PREFIX) ? column.slice(PREFIX.length) : null;
}

/** A property of a flat JSON object: its name, and the JSON text of its value. Names hold nothing that JSON would escape. */
const PROPERTY = /"([^"]*)": ?("[^"\\]*(?:\\.[^"\\]*)*"|[^,}]+)/g;

/** The properties in the JSON text of an event's properties, each with the JSON text of its value. */
export function* eachProperty(text: string): Generator<readonly [name: string, json: string]> {
  for (const [, name, json] of text.matchAll(PROPERTY)) yield [name!, json!];
}

const numbersOnly = new WeakMap<CodedColumn, CodedColumn>();

/** A column of decimals of a chunk. Of a property only its numbers count: other values are none. */
export function decimalsOf(chunk: Chunk, name: CodedName): CodedColumn {
  const column = codedOf(chunk, name);
  if (propertyOf(name) === null) return column;
  let numbers = numbersOnly.get(column);
  if (numbers === undefined) {
    numbers = { ...column, values: column.values.map((value) => (isNumber(value) ? value : null)) };
    numbersOnly.set(column, numbers);
  }
  return numbers;
}

/** Whether the JSON text of a value is a number. */
function isNumber(json: CodedColumn['values'][number]): boolean {
  return /^[-\d]/.test(String(json));
}
