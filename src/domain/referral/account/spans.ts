/**
 * Spans of time by which read models count and sum up the accruals of an account. There may be a million. Times are
 * milliseconds since 1970 UTC.
 */

/**
 * Accruals are counted by hours of their dates. A page is found by the counts of some thousand hours, and within an hour
 * by counting.
 */
export const HOUR_MS = 60 * 60 * 1000;

/**
 * Amounts on hold are summed up by spans of several lengths. The sum from any moment on is the sum of a few hundred
 * spans and of the holds that end within a second. A span is named by the leading bits that its moments share; the rest
 * are 26 bits (19 hours), 18 bits (4 minutes) or 10 bits (a second).
 */
export const HOLD_BITS = [26, 18, 10] as const;
