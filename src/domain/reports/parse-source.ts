import type { Condition, FieldCatalogue } from '../condition/condition.ts';
import { parseCondition } from '../condition/parse-condition.ts';
import { type JsonObject, property, safeInteger } from '../json.ts';
import { type Problem, under } from '../problem.ts';
import { type ReportField, reportFields } from './fields.ts';
import type { Period } from './report.ts';

/** What the parsers of the types of reports share: reading the keys of a source_request. */

export interface SourceOptions {
  /** Undefined: it was refused; the rest is checked all the same. */
  readonly period: Period | undefined;
  readonly timezone: string;
  readonly problems: Problem[];
}

/** The path of a key of source_request. */
export function sourcePath(key: string): string {
  return under('source_request', key);
}

/** Checks `filters`, at `path`, of a source_request or an object below it. They may name the fields of `catalogue`. */
export function parseFilter(
  object: JsonObject,
  path: string,
  { timezone, problems }: Pick<SourceOptions, 'timezone' | 'problems'>,
  catalogue: FieldCatalogue<ReportField> = reportFields,
): Condition<ReportField> | null {
  return parseCondition(property(object, 'filters'), { catalogue, timezone, path, problems });
}

/** Checks a type that has one chart, named like it. */
export function checkChart(source: JsonObject, chart: string, problems: Problem[]): void {
  if (property(source, 'type_chart') === chart) return;
  const message = `unknown type_chart for type ${chart}`;
  problems.push({ path: sourcePath('type_chart'), message, allowed: [chart] });
}

/** Checks a key that takes one of some words; without the key it is `byDefault`. */
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

/** Checks a key that takes an integer from `min` to `max`; without the key it is `byDefault`. */
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
