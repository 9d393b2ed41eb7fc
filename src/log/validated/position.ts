import { type Position, partitionOf } from '../port.ts';

/** Digits of the greatest JSON-safe integer: padded, so that text order within a partition is that of offsets. */
const DIGITS = 16;

export function positionOf(partition: number, offset: number): Position {
  return `${partition}:${String(offset).padStart(DIGITS, '0')}`;
}

/** The offset after `position`, where reading continues; 0 without one. */
export function offsetAfter(position: Position | undefined, partition: number): number {
  if (position === undefined) return 0;
  if (!/^\d+:\d{16}$/.test(position) || partitionOf(position) !== partition)
    throw new RangeError(`not a position of partition ${partition} of this log: ${position}`);
  return Number(position.slice(position.indexOf(':') + 1)) + 1;
}
