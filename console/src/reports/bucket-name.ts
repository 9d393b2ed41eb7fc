import type { Value } from '../api.ts';
import { date, dayName } from '../format.ts';
import type { ReportState } from './state.ts';

/** A bucket's time as the table and the tip have it. */
export function bucketName(at: Value | undefined, { granularity }: ReportState): string {
  if (granularity === 'hour') return date(String(at), true);
  return dayName(String(at), granularity === 'day');
}
