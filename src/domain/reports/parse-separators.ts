import { isJsonObject, property } from '../json.ts';
import { type Problem, under } from '../problem.ts';
import { isSeparator, reportFields, SEPARATOR_NAMES } from './fields.ts';
import type { Separator } from './report.ts';

const WRONG = 'Wrong separator property';
/** decisions.md#breakdown */
const MAX_SEPARATORS = 3;

/** Checks `separators`; absent and null are none. */
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
