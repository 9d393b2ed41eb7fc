import type { Range } from './sending-events.ts';

/** Places in an audience as ranges `[first, last]`, both included. */

/** @param places ascending, each once */
export function toRanges(places: readonly number[]): Range[] {
  const ranges: Range[] = [];
  for (const place of places) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === place - 1) last[1] = place;
    else ranges.push([place, place]);
  }
  return ranges;
}

export function* placesOf(ranges: readonly Range[]): Generator<number> {
  for (const [first, last] of ranges) for (let place = first; place <= last; place++) yield place;
}
