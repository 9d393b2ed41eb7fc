import { type Chunk, placesOf } from '../../projections/events/packed/chunk.ts';
import type { Combinations } from './combinations.ts';
import type { Positions } from './positions.ts';
import { atLeast } from './slots.ts';

/**
 * What both passes of a breakdown do with every event: first its combination is counted, then the line that the combination
 * is shown in is written down. Where the number of a combination stands by place, both take one loop over the places.
 */

/** How often each combination was met, by its number. */
export interface Volumes {
  /** @param times for each of the events at `positions` */
  add(chunk: Chunk, positions: Positions, times: number): void;
  total(): Float64Array;
}

export function volumesOf(combinations: Combinations): Volumes {
  const { byPlace } = combinations;
  if (byPlace !== null) {
    const { column, numbers } = byPlace;
    const counts = new Float64Array(numbers.length);
    return {
      add(chunk, positions, times) {
        const places = placesOf(chunk, column);
        for (let i = 0; i < positions.length; i++) counts[places[positions[i]!]!]! += times;
      },
      total() {
        const volumes = new Float64Array(combinations.values.length);
        for (let place = 0; place < counts.length; place++) volumes[numbers[place]!]! += counts[place]!;
        return volumes;
      },
    };
  }
  let volumes = new Float64Array(1024);
  let numbers = new Uint32Array(0);
  return {
    add(chunk, positions, times) {
      numbers = atLeast(numbers, positions.length);
      combinations.number(chunk, positions, numbers);
      volumes = atLeast(volumes, combinations.values.length);
      for (let i = 0; i < positions.length; i++) volumes[numbers[i]!]! += times;
    },
    total: () => volumes,
  };
}

/** Writes the lines of the events at `positions`. */
export type WriteLines = (chunk: Chunk, positions: Positions, into: Uint32Array) => void;

/** @param lines by the number of a combination */
export function linesBy(combinations: Combinations, lines: Uint32Array): WriteLines {
  const { byPlace } = combinations;
  if (byPlace !== null) {
    const { column, numbers } = byPlace;
    const ofPlace = numbers.map((number) => lines[number]!);
    return (chunk, positions, into) => {
      const places = placesOf(chunk, column);
      for (let i = 0; i < positions.length; i++) into[i] = ofPlace[places[positions[i]!]!]!;
    };
  }
  return (chunk, positions, into) => {
    combinations.number(chunk, positions, into);
    for (let i = 0; i < positions.length; i++) into[i] = lines[into[i]!]!;
  };
}
