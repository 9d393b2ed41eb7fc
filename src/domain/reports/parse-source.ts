import type { Condition, FieldCatalogue } from '../condition/condition.ts';
import { parseCondition } from '../condition/parse-condition.ts';
import { type Problem, under } from '../problem.ts';
import { isJsonObject, type JsonObject, property, safeInteger } from '../storable-json.ts';
import { isSeparator, type ReportField, reportFields, SEPARATOR_NAMES } from './fields.ts';
import type { Period, Separator } from './report.ts';

/** Parsers of the keys that several report types have in a source_request. */

export interface SourceOptions {
  /** Undefined: it was refused. The parsers check the rest nevertheless, to report all problems. */
  readonly period: Period | undefined;
  readonly timezone: string;
  readonly problems: Problem[];
}

/** The path of a key of source_request. */
export function sourcePath(key: string): string {
  return under('source_request', key);
}

/** Checks the `filters` of `object` at `path`. They may name the fields of `catalogue`. */
export function parseFilter(
  object: JsonObject,
  path: string,
  { timezone, problems }: Pick<SourceOptions, 'timezone' | 'problems'>,
  catalogue: FieldCatalogue<ReportField> = reportFields,
): Condition<ReportField> | null {
  return parseCondition(property(object, 'filters'), { catalogue, timezone, path, problems });
}

/** Checks the `type_chart` of a report type that has one chart with the same name. */
export function checkChart(source: JsonObject, chart: string, problems: Problem[]): void {
  if (property(source, 'type_chart') === chart) return;
  const message = `unknown type_chart for type ${chart}`;
  problems.push({ path: sourcePath('type_chart'), message, allowed: [chart] });
}

/** Checks a key that takes one of some words. Without the key the result is `byDefault`. */
export function parseChoice<T extends string>(
  source: JsonObject,
  key: string,
  { choices, byDefault, problems }: { choices: readonly T[]; byDefault: T; problems: Problem[] },
): T | undefined {
  const given = property(source, key) ?? byDefault;
  const choice = choices.find((one) => one === given);
  if (choice === undefined) problems.push({ path: sourcePath(key), message: `unknown ${key}`, allowed: choices });
  return choice;
}

/** Checks a key that takes an integer from `min` to `max`. Without the key the result is `byDefault`. */
export function parseCount(
  source: JsonObject,
  key: string,
  { min, max, byDefault, problems }: { min: number; max: number; byDefault: number; problems: Problem[] },
): number | undefined {
  const given = property(source, key);
  if (given === undefined) return byDefault;
  const count = safeInteger(given);
  if (count !== undefined && count >= min && count <= max) return count;
  const bounds = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `${min} to ${max}`;
  problems.push({ path: sourcePath(key), message: `expected an integer, ${bounds}` });
  return undefined;
}

const WRONG = 'Wrong separator property';
/** decisions.md#breakdown */
const MAX_SEPARATORS = 3;

/** Checks `separators`. An absent key means no breakdown, and so does null. */
export function parseSeparators(input: unknown, path: string, problems: Problem[]): readonly Separator[] {
  if (input === undefined) return [];
  if (!Array.isArray(input)) {
    problems.push({ path, message: 'expected an array of objects with a property' });
    return [];
  }
  const separators: Separator[] = [];
  for (const [index, item] of input.entries()) {
    const separator = parseSeparator(item, under(path, index));
    if ('message' in separator) problems.push(separator);
    else if (separators.some(({ field }) => field.name === separator.field.name))
      problems.push({ path: under(path, `${index}.property`), message: 'a report is broken down by a field once' });
    else separators.push(separator);
  }
  if (input.length > MAX_SEPARATORS) problems.push({ path, message: `more than ${MAX_SEPARATORS} separators` });
  return separators;
}

function parseSeparator(item: unknown, path: string): Separator | Problem {
  if (!isJsonObject(item)) return { path, message: `${WRONG}: expected an object with the key property` };
  const name = property(item, 'property');
  const at = under(path, 'property');
  if (typeof name !== 'string') return { path: at, message: WRONG, allowed: SEPARATOR_NAMES };
  if (/^events\.(utm_|f_param_id_)/.test(name))
    return { path: at, message: `${WRONG}: break down by UTM with type_chart utm_trends or utm_table` };
  const field = reportFields.find(name);
  if (field === undefined || !isSeparator(field)) return { path: at, message: WRONG, allowed: SEPARATOR_NAMES };
  return { name, field };
}
