import { parseIso8601 } from '../../domain/intake/moment.ts';
import type { ExportPeriod } from './columns.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The accepted forms of a bound, for messages. */
export const MOMENT_FORMAT = 'must be YYYY-MM-DD (UTC) or RFC 3339';

/** Reads the first moment of a period: the beginning of a day, UTC, or a moment. Null: it is neither. */
export function parseFrom(text: string): number | null {
  return startOfDay(text) ?? momentOf(text);
}

/**
 * Reads the end of a period. The period includes it: a whole day, a whole second, or a millisecond. @returns the first
 * moment after it
 */
export function parseTo(text: string): number | null {
  const day = startOfDay(text);
  if (day !== null) return day + DAY_MS;
  const moment = momentOf(text);
  if (moment === null) return null;
  return moment + (/:\d\d:\d\d\.\d/.test(text) ? 1 : 1000);
}

/** A period that no moment is in is a mistake. */
export function isEmptyPeriod({ from, to }: ExportPeriod): boolean {
  return from !== null && to !== null && from >= to;
}

function startOfDay(text: string): number | null {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? parseIso8601(`${text}T00:00Z`) : null;
}

function momentOf(text: string): number | null {
  return /:\d\d:\d\d(\.\d+)?([Zz]|[-+]\d\d:\d\d)$/.test(text) ? parseIso8601(text) : null;
}
