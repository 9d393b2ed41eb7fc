import { laneOf, type Position } from '../port.ts';

/** Digits of the greatest JSON-safe integer: padded, so that text order within a lane is that of offsets. */
const DIGITS = 16;

export function positionOf(lane: number, offset: number): Position {
  return `${lane}:${String(offset).padStart(DIGITS, '0')}`;
}

/** The offset after `position`, where reading goes on; 0 without one. */
export function offsetAfter(position: Position | undefined, lane: number): number {
  if (position === undefined) return 0;
  if (!/^\d+:\d{16}$/.test(position) || laneOf(position) !== lane)
    throw new RangeError(`not a position of lane ${lane} of this log: ${position}`);
  return Number(position.slice(position.indexOf(':') + 1)) + 1;
}
