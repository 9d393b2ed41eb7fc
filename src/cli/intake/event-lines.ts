import { LosslessNumber } from 'lossless-json';
import type { ImportedLine } from '../../commands/intake/import-events.ts';
import { customEvent } from '../../domain/intake/elements.ts';
import type { JsonObject } from '../../domain/storable-json.ts';
import { csvRecords, isNdjson, type JsonLine, jsonLines } from '../input-files.ts';
import type { RecordReader } from './event-formats.ts';

/**
 * Reads the events of a file of NDJSON or CSV, each checked as send-event checks it.
 * @param columns the columns that a CSV file must have
 */
export async function* eventsOf(
  path: string,
  columns: readonly string[],
  reader: RecordReader,
  now: () => number,
): AsyncGenerator<ImportedLine> {
  const schema = customEvent(now);
  for await (const { line, text, ...found } of recordsOf(path, columns)) {
    const read = 'problem' in found ? found : reader.read(found.object);
    if ('problem' in read) {
      yield { line, text, problem: read.problem };
      continue;
    }
    const checked = schema.safeParse(read.event);
    if (!checked.success) {
      const problems = checked.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim());
      yield { line, text, problem: problems.join(', ') };
      continue;
    }
    const { date, ...event } = checked.data;
    yield date === undefined ? { line, text, problem: 'date is missing' } : { line, event: { ...event, date } };
  }
}

/** @param required columns of a CSV file; a record without all cells is a problem */
export async function* recordsOf(path: string, required: readonly string[]): AsyncGenerator<JsonLine> {
  if (await isNdjson(path)) return yield* jsonLines(path);
  const bad: { line: number; problem: string; text: string }[] = [];
  const records = csvRecords(path, required, (line, problem, text) => bad.push({ line, problem, text }));
  for await (const { line, cells, text } of records) {
    yield* bad.splice(0);
    yield { line, text, object: objectOf(cells) };
  }
  yield* bad;
}

const PROPERTIES = 'properties.';
/** Columns of numbers; `user_id` is also read from text. */
const NUMBERS: ReadonlySet<string> = new Set(['value_num', 'balance']);

/** The cells as a record of JSON. A column `properties.<name>` is a property, as text. */
function objectOf(cells: ReadonlyMap<string, string>): JsonObject {
  const record: Record<string, unknown> = {};
  const properties: Record<string, unknown> = {};
  for (const [name, text] of cells)
    if (name.startsWith(PROPERTIES)) properties[name.slice(PROPERTIES.length)] = text;
    else record[name] = NUMBERS.has(name) && /^-?\d+(\.\d+)?$/.test(text) ? new LosslessNumber(text) : text;
  return Object.keys(properties).length === 0 ? record : { ...record, properties };
}
