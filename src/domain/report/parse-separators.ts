import { isJsonObject, property } from '../json.ts';
import { type Problem, under } from '../problem.ts';
import { isSeparator, reportFields, SEPARATOR_NAMES } from './fields.ts';

const WRONG = 'Wrong separator property';

/** Checks `separators`. There is no breakdown yet, so a good one is refused too, in other words. */
export function refuseSeparators(input: unknown, path: string, problems: Problem[]): void {
  if (input === undefined) return;
  if (!Array.isArray(input)) {
    problems.push({ path, message: 'expected an array of objects with a property' });
    return;
  }
  for (const [index, item] of input.entries()) problems.push(separatorProblem(item, under(path, index)));
}

function separatorProblem(item: unknown, path: string): Problem {
  if (!isJsonObject(item)) return { path, message: `${WRONG}: expected an object with the key property` };
  const name = property(item, 'property');
  const at = under(path, 'property');
  if (typeof name === 'string' && /^events\.(utm_|f_param_id_)/.test(name))
    return { path: at, message: `${WRONG}: break down by UTM with type_chart utm_trends or utm_table` };
  const field = typeof name === 'string' ? reportFields.find(name) : undefined;
  if (field === undefined || !isSeparator(field)) return { path: at, message: WRONG, allowed: SEPARATOR_NAMES };
  return { path: at, message: 'separators are not available yet' };
}
