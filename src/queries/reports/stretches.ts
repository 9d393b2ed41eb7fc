import { firstFrom } from './positions.ts';

/** Events of a chunk, up to before `end`, that are of one bucket. */
export interface Stretch {
  /** Its index; -1: before the first. */
  readonly bucket: number;
  readonly end: number;
}

/**
 * Events from `begin` to before `end`, by the buckets that begin at `starts`.
 * @param dates of the chunk's events, ascending
 */
export function stretchesOf(
  dates: Float64Array,
  { begin, end }: { readonly begin: number; readonly end: number },
  starts: readonly number[],
): Stretch[] {
  const stretches: Stretch[] = [];
  for (let at = begin; at < end; ) {
    const next = firstFrom(starts, dates[at]! + 1);
    at = next === starts.length ? end : Math.min(end, firstFrom(dates, starts[next]!));
    stretches.push({ bucket: next - 1, end: at });
  }
  return stretches;
}
