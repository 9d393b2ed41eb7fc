/**
 * How read models count accruals: by hours of their dates (milliseconds), so that a page of a million is found by the
 * counts of some thousand hours, and within an hour by counting.
 */
export const HOUR_MS = 60 * 60 * 1000;
