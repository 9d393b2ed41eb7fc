/**
 * How read models sum up what is on hold: by spans of time of several lengths, so that the sum from any moment on is
 * that of a few hundred spans and of what ends within a second, rather than of a million accruals. A span is told by the
 * bits that its moments (milliseconds) have in common: of 2^26 ms (19 hours), 2^18 (4 minutes) and 2^10 (a second).
 */
export const HOLD_BITS = [26, 18, 10] as const;
