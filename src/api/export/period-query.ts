import { z } from 'zod';
import type { Problem } from '../../domain/problem.ts';
import type { ExportPeriod } from '../../queries/export/columns.ts';
import { isEmptyPeriod, MOMENT_FORMAT, parseFrom, parseTo } from '../../queries/export/period.ts';
import { invalid } from '../api-errors.ts';

const bound = z.string().optional();
/** The bounds of a period in a query. */
export const periodBounds = {
  from: bound.describe('The first day (YYYY-MM-DD, UTC) or moment (RFC 3339)'),
  to: bound.describe('The last day or moment, included'),
};

/** @throws ApiError 400 */
export function periodOf(from: string | undefined, to: string | undefined): ExportPeriod {
  const problems: Problem[] = [];
  const read = (path: string, text: string | undefined, parse: (text: string) => number | null): number | null => {
    const found = text === undefined ? null : parse(text);
    if (text !== undefined && found === null) problems.push({ path, message: MOMENT_FORMAT });
    return found;
  };
  const period = { from: read('from', from, parseFrom), to: read('to', to, parseTo) };
  if (isEmptyPeriod(period)) problems.push({ path: 'from', message: 'must not be after to' });
  if (problems.length > 0) throw invalid(problems);
  return period;
}
