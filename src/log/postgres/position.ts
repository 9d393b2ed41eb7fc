import type { Position } from '../port.ts';

/** Postgres has one partition, ordered by (transaction id, sequence number). Both are padded, so that text order is theirs. */
const PARTITION = '0:';

export interface Place {
  readonly txid: string;
  readonly seq: string;
}

/** Before the first commit. */
export const START: Place = { txid: '0', seq: '0' };

export function positionOf(place: Place): Position {
  return `${PARTITION}${place.txid.padStart(20, '0')}.${place.seq.padStart(16, '0')}`;
}

export function placeOf(position: Position | undefined): Place {
  if (position === undefined) return START;
  const match = /^0:(\d{20})\.(\d{16})$/.exec(position);
  if (match === null) throw new RangeError(`not a position of the Postgres log: ${position}`);
  return { txid: BigInt(match[1]!).toString(), seq: BigInt(match[2]!).toString() };
}
